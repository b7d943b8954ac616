import { hash } from "node:crypto";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { type WorkerTransaction, workerTransaction } from "@factory/runtime/unit-of-work/worker-transaction";
import type { Pool } from "pg";
import { recordRevocation } from "../../../ground/revocations/record-revocation.js";
import type { PersonalDataEraser } from "../../../people/users/personal-data.js";
import {
  deleteTokensOfGrants,
  endBrowserSessions,
  endGrants,
  eraseArtifacts,
  type OwnSessionRow,
  ownSessions,
  sessionOfGrant,
} from "./own-sessions-statement.js";

/** A browser in which a person is signed in, or an application that acts for the person. */
export interface OwnSession {
  readonly sessionId: string;
  readonly kind: "Browser" | "Application";
  /** The application's name. */
  readonly clientName: string | null;
  readonly userAgent: string | null;
  readonly address: string | null;
  readonly startedAt: Date | null;
  readonly lastSeenAt: Date | null;
  readonly isCurrent: boolean;
}

/** The person who lists or ends sessions, and where: by a browser's session, or by a grant's token. */
export interface SessionOwner {
  readonly tenant: Tenant;
  /** `usr_…` */
  readonly userId: string;
  readonly clientId: string;
  readonly cause: Cause;
  readonly current: { readonly sessionUid: string } | { readonly grantId: string | undefined };
}

/** The digests for the sessions that end, or for those that are kept while all others end. */
interface EndedDigests {
  readonly digests: readonly string[];
  readonly isKept: boolean;
}

/** Browsers, and as many applications, in one transaction. */
const maxEnded = 500;

/** People see and end their own sessions. */
export class OwnSessions {
  readonly #pool: Pool;
  readonly #logger: Logger;

  /** `pool` connects as the worker role, the only one that sees oidc-provider's artifacts. */
  constructor(pool: Pool, logger: Logger) {
    this.#pool = pool;
    this.#logger = logger;
  }

  async list(owner: SessionOwner): Promise<OwnSession[]> {
    const { userId } = owner;
    const statement = { ...ownSessions, values: [userId, decodeId("usr", userId)] };
    const [{ rows }, current] = await Promise.all([
      this.#pool.query<OwnSessionRow>(statement),
      this.#currentDigests(owner),
    ]);
    return rows.map((row) => ({
      sessionId: row.session_id,
      kind: row.kind === "Session" ? "Browser" : "Application",
      clientName: row.client_name,
      userAgent: row.user_agent,
      address: row.address,
      startedAt: row.started_at === null ? null : new Date(row.started_at * 1000),
      lastSeenAt: row.seen_at,
      isCurrent: current.includes(row.session_id),
    }));
  }

  /**
   * Ends one session. With a browser end the applications that were authorized in it. Their tokens are refused within a
   * second. Throws NOT_FOUND.
   */
  async end(owner: SessionOwner, sessionId: string): Promise<void> {
    if (!sessionIdForm.test(sessionId)) throw unknownSession();
    const count = await this.#endAll(owner, "endOwnSession", { digests: [sessionId], isKept: false });
    if (count === 0) throw unknownSession();
  }

  /** Ends all sessions but the current one. Returns how many. */
  async endOthers(owner: SessionOwner): Promise<number> {
    return this.#endAll(owner, "endOtherOwnSessions", { digests: await this.#currentDigests(owner), isKept: true });
  }

  /** Each transaction ends a limited number, because a client can make grants without a limit. */
  async #endAll(owner: SessionOwner, operation: string, digests: EndedDigests): Promise<number> {
    let total = 0;
    let count: number;
    do {
      count = await this.#end(owner, operation, digests);
      total += count;
    } while (count >= maxEnded);
    return total;
  }

  /**
   * Deletes a deleted user's sessions, with their devices and addresses, once that is committed. If the process ends
   * before, they are deleted when they expire; nobody can use them.
   */
  readonly erase: PersonalDataEraser = async ({ afterCommit }, { userId }) =>
    afterCommit(() => {
      this.#pool.query({ ...eraseArtifacts, values: [userId] }).catch((error: unknown) => {
        this.#logger.warn({ err: error }, "the sessions of a deleted user were not deleted");
      });
    });

  #end(
    { tenant, userId, clientId, cause }: SessionOwner,
    operation: string,
    { digests, isKept }: EndedDigests,
  ): Promise<number> {
    const workers = { pool: this.#pool, schema: "spine" } as const;
    return workerTransaction(workers, tenant, { ...cause, actorId: userId }, async (transaction) => {
      const { execute, record, audit } = transaction;
      const caller = { principal: userId, principaltype: "User", clientid: clientId } as const;
      audit({ operation, subject: `users/${userId}`, ...caller });
      const parameters = { account: userId, digests, isKept, limit: maxEnded };
      const values = endBrowserSessions.valuesOf(parameters);
      const browsers = await execute<{ session_id: string }>(endBrowserSessions, values);
      const applications = await this.#endGrants(transaction, endGrants.valuesOf(parameters));
      const sessions = [
        ...browsers.map(({ session_id: sessionId }) => ({ sessionId, kind: "Browser" })),
        ...applications.map((sessionId) => ({ sessionId, kind: "Application" })),
      ];
      for (const session of sessions)
        record({
          type: "SessionEnded",
          subject: `users/${userId}`,
          data: { tenantId: tenant.tenantId, userId, ...session },
        });
      return sessions.length;
    });
  }

  async #endGrants({ execute, tenant, notify }: WorkerTransaction, values: readonly unknown[]): Promise<string[]> {
    const grants = await execute<{ session_id: string; grant_id: string }>(endGrants, values);
    const ids = grants.map(({ grant_id: id }) => id);
    if (ids.length === 0) return [];
    await execute(deleteTokensOfGrants, [ids]);
    await recordRevocation({ execute, tenant, notify }, "Grant", ...ids);
    return grants.map(({ session_id: id }) => id);
  }

  /** The digests for the current session, and for the grant behind the caller's token. */
  async #currentDigests({ current }: SessionOwner): Promise<string[]> {
    if ("sessionUid" in current) return [digestOf(current.sessionUid)];
    const { grantId } = current;
    if (grantId === undefined) return [];
    const { rows } = await this.#pool.query<{ uid_digest: string | null }>({ ...sessionOfGrant, values: [grantId] });
    const browser = rows[0]?.uid_digest;
    return [digestOf(grantId), ...(browser ? [browser] : [])];
  }
}

const digestOf = (id: string) => hash("sha256", id, "hex");
const sessionIdForm = /^[0-9a-f]{64}$/;

const unknownSession = () =>
  new DomainError("NOT_FOUND", { detail: "The caller has no session with this id. It may have ended." });
