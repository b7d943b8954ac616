import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { type RepositoryLimits, requireRoom } from "../port/repository-limits.js";
import type { BranchMove } from "../port/repository-store.js";
import { keepPreparedPack, type PackForRows } from "./pack-chunks.js";
import { insertRef, lockRepository, moveRef, raiseVersion } from "./repository-statement.js";

export interface PushForRows {
  /** A UUID. */
  readonly repositoryId: string;
  readonly moves: readonly BranchMove[];
  readonly packs: readonly PackForRows[];
  /** HEAD's branch, if HEAD names no commit. */
  readonly branch: string;
  readonly limits: RepositoryLimits;
}

/** A branch has moved, so the transaction is rolled back. */
class BranchMoved extends Error {
  override readonly name = "BranchMoved";
}

/**
 * Stores packs and moves branches in one transaction. Returns false, and changes nothing, when a branch is not at its
 * expected commit. Throws TARGET_FULL.
 */
export async function commitPush(database: Database, tenant: Tenant, push: PushForRows): Promise<boolean> {
  const { repositoryId, moves, packs, branch, limits } = push;
  const pushedBytes = packs.reduce((sum, { bytes }) => sum + bytes, 0);
  try {
    await database.transaction(tenant, { trace: continueTrace(undefined) }, async (transaction) => {
      const { execute } = transaction;
      const [lockedRow] = await execute<{ bytes: string; tenant_bytes: string }>(lockRepository, [
        ...[tenant.uuid, repositoryId],
      ]);
      if (!lockedRow) throw new Error("A repository has vanished");
      for (const { ref, expected, commit } of moves) {
        const values = [tenant.uuid, repositoryId, ref, commit];
        const movedRows = await (expected === null
          ? execute(insertRef, values)
          : execute(moveRef, [...values, expected]));
        if (movedRows.length === 0) throw new BranchMoved();
      }
      const storedBytes = { bytes: Number(lockedRow.bytes), tenantBytes: Number(lockedRow.tenant_bytes) };
      requireRoom(limits, storedBytes, pushedBytes);
      for (const pack of packs) await keepPreparedPack(transaction, repositoryId, pack);
      await execute(raiseVersion, [tenant.uuid, repositoryId, packs.length, pushedBytes, branch]);
    });
    return true;
  } catch (error) {
    if (error instanceof BranchMoved) return false;
    throw error;
  }
}
