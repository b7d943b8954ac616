import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import type { Pool } from "pg";
import type { PermissionLossHandler } from "../access-control/permission-loss.js";
import { RoleAssignment } from "./role-assignment.entity.js";
import { expiryActor, unassignRoles, withRoleCodes } from "./unassign-roles.js";

const intervalMs = 5_000;
const batch = 100;

/**
 * New tokens leave an expired role out by themselves; this takes it from the tokens that are out already, and tells so.
 * A timer in each process in place of a job per assignment: whatever wrote the row, and whenever it changes, it is found.
 */
export class AssignmentExpiry {
  readonly #database: Database;
  readonly #workers: Pool;
  readonly #logger: Logger;
  readonly #onPermissionLoss: PermissionLossHandler;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #stopping = false;

  constructor(parts: { database: Database; workers: Pool; logger: Logger; onPermissionLoss: PermissionLossHandler }) {
    this.#database = parts.database;
    this.#workers = parts.workers;
    this.#logger = parts.logger;
    this.#onPermissionLoss = parts.onPermissionLoss;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#turn = this.sweep().then(
        () => this.start(),
        (error: unknown) => {
          this.#logger.warn({ err: error }, "expired role assignments stay for now");
          this.start();
        },
      );
    }, intervalMs).unref();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    await this.#turn;
    // the turn that has just ended set another timer
    clearTimeout(this.#timer);
  }

  /** In batches, until none is left. Workers see expired rows of every tenant, and no others. */
  async sweep(): Promise<void> {
    for (let taken = 1; taken > 0 && !this.#stopping; ) {
      taken = 0;
      const { rows } = await this.#workers.query<{ tenant_id: string }>(
        `select distinct tenant_id from (
           select tenant_id from role_assignments where expires_at <= now() order by expires_at limit ${batch}) expired`,
      );
      for (const { tenant_id: uuid } of rows) taken += await this.#sweepTenant(encodeId("ten", uuid));
    }
  }

  /** Two processes that sweep at once share the rows out between them. */
  async #sweepTenant(tenantId: string): Promise<number> {
    const cause = { trace: continueTrace(undefined), actorId: expiryActor };
    return this.#database.transaction(tenantWithId(tenantId), cause, async (transaction) => {
      const { em } = transaction;
      const expired = await em.find(
        RoleAssignment,
        { tenantId, expiresAt: { $lte: new Date() } },
        { limit: batch, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
      );
      await unassignRoles(transaction, await withRoleCodes(transaction, expired), {
        unassignedBy: expiryActor,
        reason: "Expired",
        onPermissionLoss: this.#onPermissionLoss,
      });
      return expired.length;
    });
  }
}
