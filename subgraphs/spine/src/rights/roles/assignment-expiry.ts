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
const batchSize = 100;

/**
 * Deletes expired role assignments. New tokens leave an expired role out anyway; the deletion also revokes tokens that
 * were issued before, and records the event. A timer in each process finds every expired row, however it was written; a
 * job for each assignment would have to follow every new expiry.
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
      this.#turn = this.deleteExpired().then(
        () => this.start(),
        (error: unknown) => {
          this.#logger.warn({ err: error }, "expired role assignments were not deleted; the next turn tries again");
          this.start();
        },
      );
    }, intervalMs).unref();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    await this.#turn;
    // the turn that has just ended has set the timer again
    clearTimeout(this.#timer);
  }

  /** Deletes in batches until none is left. The worker role sees every tenant's expired rows, and no other rows. */
  async deleteExpired(): Promise<void> {
    for (let deletedRows = 1; deletedRows > 0 && !this.#stopping; ) {
      deletedRows = 0;
      const { rows } = await this.#workers.query<{ tenant_id: string }>(
        `select distinct tenant_id from (
           select tenant_id from role_assignments where expires_at <= now() order by expires_at limit ${batchSize}) expired`,
      );
      for (const { tenant_id: uuid } of rows) deletedRows += await this.#deleteOfTenant(encodeId("ten", uuid));
    }
  }

  /** Skips rows that another process has locked, so that processes divide the work. */
  async #deleteOfTenant(tenantId: string): Promise<number> {
    const cause = { trace: continueTrace(undefined), actorId: expiryActor };
    return this.#database.transaction(tenantWithId(tenantId), cause, async (transaction) => {
      const { em } = transaction;
      const expiredAssignments = await em.find(
        RoleAssignment,
        { tenantId, expiresAt: { $lte: new Date() } },
        { limit: batchSize, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
      );
      await unassignRoles(transaction, await withRoleCodes(transaction, expiredAssignments), {
        unassignedBy: expiryActor,
        reason: "Expired",
        onPermissionLoss: this.#onPermissionLoss,
      });
      return expiredAssignments.length;
    });
  }
}
