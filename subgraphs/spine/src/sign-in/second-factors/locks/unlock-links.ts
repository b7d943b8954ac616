import { hash } from "node:crypto";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { DerivedSecrets } from "@factory/runtime/sealing/derived-secrets";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { Pool } from "pg";
import type { TellPerson } from "../kinds/factor-changes.js";
import type { FactorPerson } from "../kinds/factor-kind.js";
import { accountOfLink, type LinkedAccountRow } from "./linked-account-statement.js";
import { lockedMailKind } from "./lock-mail.js";
import { type LinkStateRow, linkState, storeLink } from "./lock-statement.js";

interface UnlockLinkParts {
  readonly database: Database;
  /** Connects as the worker role, which finds a link before its tenant is known. */
  readonly pool: Pool;
  readonly tokens: DerivedSecrets;
  readonly tell: TellPerson;
}

/**
 * How a request for a link ended. `MailedBefore`: less than 15 minutes ago. `Spent`: a link has lifted a lock within
 * the last 24 hours, so an administrator unlocks, or a link on the next day.
 */
export type LinkRequest = "Mailed" | "MailedBefore" | "Spent" | "NotLocked";

/** The account behind a link. */
export interface LinkedAccount {
  readonly tenant: Tenant;
  readonly userId: string;
  readonly email: string;
  readonly organization: string;
  readonly digest: string;
}

/** The links that unlock a person's codes. Each works once within 24 hours, and one in 24 hours. */
export class UnlockLinks {
  readonly #parts: UnlockLinkParts;

  constructor(parts: UnlockLinkParts) {
    this.#parts = parts;
  }

  /** Mails a link to a person whose password was right. */
  request({ tenant, userId, cause }: FactorPerson): Promise<LinkRequest> {
    const { database, tell } = this.#parts;
    return database.transaction(tenant, cause, async (transaction) => {
      const outcome = await this.issue(transaction, userId);
      if (outcome !== "Mailed") return outcome;
      transaction.audit({ operation: "requestFactorUnlock", subject: `users/${userId}` });
      await tell(transaction, lockedMailKind, userId);
      return outcome;
    });
  }

  /** Stores the link, whose mail the caller queues. A link that is still open stays, so that an earlier mail works, too. */
  async issue({ execute, tenant: { uuid: tenant } }: Transaction, userId: string): Promise<LinkRequest> {
    const { tokens } = this.#parts;
    const user = decodeId("usr", userId);
    const [state] = await execute<LinkStateRow>(linkState, [tenant, user]);
    if (!state) return "NotLocked";
    if (state.is_spent) return "Spent";
    if (state.is_mailed) return "MailedBefore";
    const { open_nonce: open } = state;
    const nonce = open !== null && tokens.canDerive(open) ? open : tokens.newNonce();
    const digest = tokenDigest(tokens.derive(userId, nonce));
    await execute(storeLink, storeLink.valuesOf({ tenant, user, nonce, digest }));
    return "Mailed";
  }

  /** A link's account. Throws NOT_FOUND for a token that is unknown, used or expired. */
  async look(token: string): Promise<LinkedAccount> {
    const digest = tokenDigest(token);
    const { rows } = await this.#parts.pool.query<LinkedAccountRow>({ ...accountOfLink, values: [digest] });
    const [row] = rows;
    if (!row) throw unknownLink();
    const { tenant_id: id, user_id: userId, email, organization } = row;
    return { tenant: tenantWithId(encodeId("ten", id)), userId: encodeId("usr", userId), email, organization, digest };
  }
}

/** SHA-256 as hex. A hash without salt is enough for a token with 256 random bits. */
const tokenDigest = (token: string): string => hash("sha256", token, "hex");

/** The one answer to every token that does not work. */
export const unknownLink = () =>
  new DomainError("NOT_FOUND", { detail: "The link was used, has expired or is incomplete." });
