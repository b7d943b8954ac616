import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import { type Preconditions, requirePreconditions } from "@factory/runtime/input-validation/preconditions";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { RunService } from "../../runs/run.service.js";
import type { ConnectionService } from "./connection.service.js";
import type { ConnectionType } from "./connection.type.js";
import { type ConnectionRecord, connectionView } from "./connection.view.js";
import type { ConnectionEndListeners } from "./connection-end-listeners.js";
import { type ConnectionStates, refusedMove } from "./connection-moves.js";
import { openRuns } from "./connection-parts-statement.js";
import { requireCallableProvider } from "./connection-references.js";
import { lockedConnection } from "./locked-connection.js";
import type { Verification } from "./verification.js";

interface LifecycleServices {
  readonly database: Database;
  readonly connections: ConnectionService;
  readonly states: ConnectionStates;
  readonly verification: Verification;
  readonly runs: RunService;
  readonly ends: ConnectionEndListeners;
}

/** The arguments for suspending, resuming and deleting a connection. */
interface ConnectionMove extends Preconditions {
  readonly connectionId: string;
  readonly reason?: string | null | undefined;
  readonly waitSeconds?: number | null | undefined;
}

/** Suspends, resumes and deletes connections. */
export class ConnectionLifecycleService {
  readonly #services: LifecycleServices;

  constructor(services: LifecycleServices) {
    this.#services = services;
  }

  suspend(context: RequestContext, move: ConnectionMove): Promise<ConnectionType> {
    return this.#change(context, { field: "suspendConnection" }, move, async (transaction, { status }) => {
      if (status === "Suspended") throw refusedMove(status, "Suspended");
      return this.#services.states.moveIn(transaction, move.connectionId, "Suspended", { reason: move.reason ?? null });
    });
  }

  /**
   * Makes a Suspended connection Active. A Disabled one becomes Active when the started run's probe passes, which the
   * caller may wait for.
   */
  async resume(context: RequestContext, move: ConnectionMove): Promise<ConnectionType> {
    const { connections, states, verification } = this.#services;
    const { connectionId, reason = null } = move;
    // The provider's lock comes before the connection's, as in a change to the provider.
    const provider = (await connections.record(tenantOf(context), connectionId))?.providerId;
    const hold = async (transaction: Transaction) => {
      if (provider !== undefined) await requireCallableProvider(transaction, provider);
    };
    const resumedConnection = await this.#change(
      context,
      { field: "resumeConnection", hold },
      move,
      async (transaction, connection) => {
        const { status } = connection;
        if (status !== "Suspended" && status !== "Disabled") throw notStopped(status);
        const isDisabled = status === "Disabled";
        const activeConnection = isDisabled
          ? connection
          : await states.moveIn(transaction, connectionId, "Active", { reason });
        return verification.start(transaction, activeConnection, { enable: isDisabled });
      },
    );
    if (move.waitSeconds == null) return resumedConnection;
    await verification.wait(context, resumedConnection.lastRunId, move.waitSeconds);
    return (await connections.find(context, connectionId)) ?? resumedConnection;
  }

  /** Deletes a connection for good. Its open runs end as Cancelled. */
  delete(context: RequestContext, move: ConnectionMove): Promise<ConnectionType> {
    const { connectionId, reason = null } = move;
    const { ends, runs, states } = this.#services;
    // A run that ends locks its row before its connection's row, and so does this.
    const hold = async (transaction: Transaction) => {
      const { execute, tenant } = transaction;
      const open = await execute<{ run_id: string }>(openRuns, [tenant.uuid, decodeId("con", connectionId) ?? null]);
      for (const { run_id: run } of open)
        await runs.cancelIn(transaction, encodeId("run", run), "The connection was deleted.");
    };
    return this.#change(context, { field: "deleteConnection", hold }, move, async (transaction) => {
      const deletedConnection = await states.moveIn(transaction, connectionId, "Deleted", { reason });
      await ends.call(transaction, connectionId);
      return deletedConnection;
    });
  }

  #change(
    context: RequestContext,
    { field, hold }: { readonly field: string; readonly hold?: (transaction: Transaction) => Promise<void> },
    { connectionId, ifMatch, reason }: ConnectionMove,
    change: (transaction: Transaction, connection: ConnectionRecord) => Promise<ConnectionRecord>,
  ): Promise<ConnectionType> {
    return idempotentMutation(this.#services.database, context, {
      field,
      arguments: { connectionId, ifMatch, reason },
      commit: async (transaction) => {
        await hold?.(transaction);
        const connection = await lockedConnection(transaction, connectionId);
        requirePreconditions({ ifMatch }, connection.version);
        return connectionView(await change(transaction, connection));
      },
    });
  }
}

function notStopped(status: string): DomainError {
  const allowedStates = ["Suspended", "Disabled"];
  return new DomainError("INVALID_STATE", {
    detail: `The connection is ${status}. It can be resumed only from ${allowedStates.join(" or ")}.`,
    currentState: status,
    allowed: allowedStates,
  });
}
