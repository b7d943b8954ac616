import { columnsOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { EnvelopeSeal } from "@factory/runtime/sealing/envelope-seal";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { FactorChanges } from "../kinds/factor-changes.js";
import type {
  EnrolledFactor,
  FactorFields,
  FactorKind,
  FactorPerson,
  FactorProblem,
  FactorProof,
  FactorVisit,
} from "../kinds/factor-kind.js";
import { codeField, totpEnrolmentFields } from "./totp-enrolment.page.js";
import { TotpFactor } from "./totp-factor.entity.js";
import { newTotpSecret, stepOfCode, totpAddress } from "./totp-secret.js";

const members = ["factorId", "sealedSecret", "lastStep", "createdAt", "lastUsedAt"] as const;

type TotpRow = RowOf<TotpFactor, (typeof members)[number]>;

/** The authenticator apps for the user `$2`, the oldest first. */
const totpFactorsOfUser = tenantStatement(
  "totp_factors_of_user",
  `select ${columnsOf(TotpFactor, members)} from totp_factors
   where tenant_id = scope.tenant and user_id = $2 order by factor_id limit 20`,
);

/** Uses a step's code. Without a row this code or a later one was used before. */
const useTotpStep = namedStatement(
  "use_totp_step",
  `update totp_factors set last_step = $step, last_used_at = now()
    where tenant_id = $tenant and user_id = $user and factor_id = $factor and last_step < $step returning factor_id`,
);

const readFactor = rowReader(TotpFactor);

const maxFactors = 5;
const label = "Authenticator app";
/** RFC 8176: a one-time password. */
const proof: FactorProof = { amr: ["otp"] };
const wrongCode: FactorProblem = {
  field: "code",
  text: "Enter the code that the app shows now. A code works once.",
};

interface TotpParts {
  readonly database: Database;
  readonly changes: FactorChanges;
  readonly seal: EnvelopeSeal;
  /** The platform's name in the app. */
  readonly issuerName: string;
}

/** One-time codes from authenticator apps (TOTP, RFC 6238). */
export class TotpKind implements FactorKind {
  readonly kind = "Totp";
  readonly label = label;
  readonly isCode = true;
  readonly #parts: TotpParts;

  constructor(parts: TotpParts) {
    this.#parts = parts;
  }

  async list(tenant: Tenant, userId: string): Promise<readonly EnrolledFactor[]> {
    const factors = await this.#factors(tenant, userId);
    return factors.map(({ factorId, createdAt: addedAt, lastUsedAt }) => ({
      ...{ factorId, kind: this.kind, name: label, addedAt, lastUsedAt },
    }));
  }

  async ask(): Promise<FactorFields> {
    return { content: codeField("Code", "Six digits from your authenticator app.") };
  }

  async verify(person: FactorPerson, _visit: FactorVisit, form: URLSearchParams): Promise<FactorProof | FactorProblem> {
    const { tenant, userId, cause } = person;
    const { database, seal } = this.#parts;
    const code = form.get("code") ?? "";
    for (const { factorId, sealedSecret } of await this.#factors(tenant, userId)) {
      const step = stepOfCode(seal.openText(sealedSecret, factorId), code);
      if (step === undefined) continue;
      const key = { tenant: tenant.uuid, user: decodeId("usr", userId), factor: decodeId("fac", factorId) };
      const values = useTotpStep.valuesOf({ ...key, step });
      // the statement's condition decides between requests with the same code at the same time
      const acceptedSteps = await database.transaction(tenant, { ...cause, actorId: userId }, ({ execute }) =>
        execute(useTotpStep, values),
      );
      return acceptedSteps.length > 0 ? proof : wrongCode;
    }
    return wrongCode;
  }

  readonly enrolment = {
    title: "Set up an authenticator app",
    begin: async (person: FactorPerson, visit: FactorVisit): Promise<FactorFields> => {
      const { seal, issuerName } = this.#parts;
      const keptSecret = await visit.take();
      // the same secret after a wrong code: the person has scanned it already
      const secret = keptSecret === undefined ? newTotpSecret() : seal.openText(keptSecret, person.userId);
      await visit.keep(seal.sealText(secret, person.userId));
      const address = totpAddress(secret, { issuer: issuerName, label: person.email });
      return { content: totpEnrolmentFields({ address, secret }) };
    },
    finish: async (
      person: FactorPerson,
      visit: FactorVisit,
      form: URLSearchParams,
    ): Promise<FactorProof | FactorProblem> => {
      const { seal } = this.#parts;
      const keptSecret = await visit.take();
      if (keptSecret === undefined) return { field: "code", text: "Scan the new code: the former one is too old." };
      const secret = seal.openText(keptSecret, person.userId);
      const step = stepOfCode(secret, form.get("code") ?? "");
      if (step === undefined) {
        await visit.keep(keptSecret);
        return wrongCode;
      }
      return this.#store(person, secret, step);
    },
  };

  async remove({ execute, tenant }: Transaction, userId: string, factorId: string): Promise<boolean> {
    const uuid = decodeId("fac", factorId);
    if (uuid === undefined) return false;
    const removedRows = await execute(
      "delete from totp_factors where tenant_id = $1 and user_id = $2 and factor_id = $3 returning factor_id",
      [tenant.uuid, decodeId("usr", userId), uuid],
    );
    return removedRows.length > 0;
  }

  async erase({ execute, tenant }: Transaction, userId: string): Promise<readonly string[]> {
    const removedRows = await execute<{ factor_id: string }>(
      "delete from totp_factors where tenant_id = $1 and user_id = $2 returning factor_id",
      [tenant.uuid, decodeId("usr", userId)],
    );
    return removedRows.map(({ factor_id: id }) => encodeId("fac", id));
  }

  async #store(person: FactorPerson, secret: string, step: number): Promise<FactorProof | FactorProblem> {
    const { tenant, userId, cause } = person;
    const { database, changes, seal } = this.#parts;
    if ((await this.#factors(tenant, userId)).length >= maxFactors)
      return {
        field: "code",
        text: `You have ${maxFactors} authenticator apps, which is the limit. Remove one first.`,
      };
    const factorId = newId("fac");
    const sealedSecret = seal.sealText(secret, factorId);
    await database.transaction(tenant, { ...cause, actorId: userId }, async (transaction) => {
      const { em } = transaction;
      const now = new Date();
      const { tenantId } = tenant;
      const facts = { tenantId, factorId, userId, sealedSecret, lastStep: step, createdAt: now, lastUsedAt: now };
      em.persist(em.create(TotpFactor, facts));
      await changes.added(transaction, person, { factorId, kind: "Totp" });
    });
    return proof;
  }

  async #factors(tenant: Tenant, userId: string) {
    const { reader } = this.#parts.database;
    return (await reader.rows<TotpRow>(totpFactorsOfUser, tenant, decodeId("usr", userId))).map(readFactor);
  }
}
