import { hash, randomInt } from "node:crypto";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { html } from "@factory/runtime/html/html";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type {
  EnrolledFactor,
  FactorFields,
  FactorKind,
  FactorPerson,
  FactorProblem,
  FactorProof,
  FactorVisit,
} from "../kinds/factor-kind.js";

const unusedCodes = tenantStatement(
  "unused_recovery_codes",
  `select count(*)::int as count, max(created_at) as created_at from recovery_codes
   where tenant_id = scope.tenant and user_id = $2`,
);

const useCode = {
  name: "use_recovery_code",
  text: "delete from recovery_codes where tenant_id = $1 and user_id = $2 and code_digest = $3 returning user_id",
};

const storeCodes = {
  name: "store_recovery_codes",
  text: `insert into recovery_codes (tenant_id, user_id, code_digest, created_at)
    select $1, $2, digest, now() from unnest($3::text[]) as digest`,
};

interface UnusedRow {
  count: number;
  created_at: Date | null;
}

/** Codes on paper that stand in for a lost factor. Each works once. */
export class RecoveryCodes implements FactorKind {
  readonly kind = "RecoveryCode";
  readonly label = "Recovery code";
  readonly isCode = true;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** How many codes are left. */
  async left(tenant: Tenant, userId: string): Promise<number> {
    return (await this.#unused(tenant, userId))?.count ?? 0;
  }

  /** A new set, which is shown once. The former set's codes are invalid. */
  async renew(transaction: Transaction, userId: string): Promise<readonly string[]> {
    const { execute, tenant, record } = transaction;
    const codes = newRecoveryCodes();
    const digests = codes.map((code) => recoveryCodeDigest(userId, code));
    await this.erase(transaction, userId);
    await execute(storeCodes, [tenant.uuid, decodeId("usr", userId), digests]);
    const data = { tenantId: tenant.tenantId, userId };
    record({ type: "RecoveryCodesRenewed", subject: `users/${userId}`, data });
    return codes;
  }

  async list(tenant: Tenant, userId: string): Promise<readonly EnrolledFactor[]> {
    const row = await this.#unused(tenant, userId);
    if (!row?.created_at) return [];
    const { kind, label: name } = this;
    return [{ factorId: userId, kind, name, addedAt: row.created_at, lastUsedAt: null }];
  }

  async ask(): Promise<FactorFields> {
    return {
      content: html`<div class="field">
<label for="code">Recovery code</label>
<span class="hint" id="code-hint">One of the codes that you saved. Each works once.</span>
<input id="code" name="code" type="text" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="40" required autofocus aria-describedby="problem code-hint">
</div>
`,
    };
  }

  async verify(person: FactorPerson, _visit: FactorVisit, form: URLSearchParams): Promise<FactorProof | FactorProblem> {
    const { tenant, userId, cause } = person;
    const digest = recoveryCodeDigest(userId, form.get("code") ?? "");
    const values = [tenant.uuid, decodeId("usr", userId), digest];
    const usedCodes =
      digest === undefined
        ? []
        : await this.#database.transaction(tenant, { ...cause, actorId: userId }, ({ execute }) =>
            execute(useCode, values),
          );
    return usedCodes.length > 0
      ? { amr: ["otp"] }
      : { field: "code", text: "Enter a recovery code that you have not used yet." };
  }

  async remove(): Promise<boolean> {
    return false;
  }

  async erase({ execute, tenant }: Transaction, userId: string): Promise<readonly string[]> {
    const values = [tenant.uuid, decodeId("usr", userId)];
    await execute("delete from recovery_codes where tenant_id = $1 and user_id = $2", values);
    return [];
  }

  #unused(tenant: Tenant, userId: string): Promise<UnusedRow | undefined> {
    return this.#database.reader.row<UnusedRow>(unusedCodes, tenant, decodeId("usr", userId));
  }
}

/** Without letters and digits that look alike. */
const alphabet = "23456789abcdefghjkmnpqrstuvwxyz";
const codeCharacters = 16;
const codesOfSet = 10;

/** Ten codes with 16 characters in groups of four, 79 random bits each. */
export function newRecoveryCodes(): string[] {
  const character = () => alphabet[randomInt(alphabet.length)] ?? "";
  const code = () => Array.from({ length: codeCharacters }, character).join("");
  return Array.from({ length: codesOfSet }, () => code().replaceAll(/(.{4})(?=.)/g, "$1-"));
}

/**
 * The digest that is stored instead of a code; undefined for a text that is not a code. A hash without salt and cost is
 * enough for so many random bits. Case, spaces and hyphens do not matter.
 */
export function recoveryCodeDigest(userId: string, text: string): string | undefined {
  const code = text.toLowerCase().replaceAll(/[\s-]/g, "");
  if (code.length !== codeCharacters) return undefined;
  return hash("sha256", `${userId} ${code}`, "hex");
}
