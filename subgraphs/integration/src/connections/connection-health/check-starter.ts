import { failpoint } from "@factory/runtime/faults/failpoint";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { RunService } from "../../runs/run.service.js";
import { systemActor } from "../../runs/run.states.js";
import type { ConnectionRow } from "../connections/connection.view.js";
import { unknownConnection } from "../connections/locked-connection.js";
import { checkBegun, lockCheckedConnection, lockDueConnection, openCheck } from "./check-statement.js";
import type { RecentCalls } from "./health-machine.js";
import type { ProbeTimes } from "./probe-times.js";

interface Services {
  readonly database: Database;
  readonly runs: RunService;
  readonly times: ProbeTimes;
}

type LockedRow = Pick<ConnectionRow, "project_id">;

/** Starts runs that check connections. The run and the next check's time are stored together. */
export class CheckStarter {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Starts a due check on a connection. False: another process has started it, or it is not due any more. */
  startDue(tenantId: string, connectionId: string): Promise<boolean> {
    return this.#transaction(tenantId, async (transaction) => {
      const uuid = decodeId("con", connectionId);
      const now = this.#services.times.clock();
      const [due] = await transaction.execute<LockedRow>(lockDueConnection, [transaction.tenant.uuid, uuid, now]);
      if (!due) return false;
      const open = await openCheckOf(transaction, connectionId);
      failpoint("connectionCheck.claimed");
      if (open === undefined) await this.#startIn(transaction, connectionId, due);
      else await this.#begun(transaction, connectionId, open);
      return true;
    });
  }

  /** Starts a check because calls have failed, unless one is open. */
  startForCalls(tenantId: string, connectionId: string, recentCalls: RecentCalls): Promise<void> {
    return this.#transaction(tenantId, async (transaction) => {
      const connection = await this.#lock(transaction, connectionId);
      if (!connection || (await openCheckOf(transaction, connectionId)) !== undefined) return;
      await this.#startIn(transaction, connectionId, connection, { recentCalls });
    });
  }

  /** Starts a check that the tenant asks for, and returns its run; a check that is open serves as well. */
  async startAskedIn(transaction: Transaction, connectionId: string): Promise<string> {
    const connection = await this.#lock(transaction, connectionId);
    if (!connection) throw unknownConnection();
    const open = await openCheckOf(transaction, connectionId);
    return open ?? this.#startIn(transaction, connectionId, connection);
  }

  async #lock({ execute, tenant }: Transaction, connectionId: string): Promise<LockedRow | undefined> {
    const uuid = decodeId("con", connectionId);
    if (uuid === undefined) return undefined;
    const [lockedRow] = await execute<LockedRow>(lockCheckedConnection, [tenant.uuid, uuid]);
    return lockedRow;
  }

  async #startIn(
    transaction: Transaction,
    connectionId: string,
    { project_id: projectId }: LockedRow,
    payload: Readonly<Record<string, unknown>> = {},
  ): Promise<string> {
    const { runs } = this.#services;
    const { runId } = await runs.startIn(transaction, { operation: "CheckHealth", connectionId, projectId, payload });
    await this.#begun(transaction, connectionId, runId);
    return runId;
  }

  #begun({ defer, tenant }: Transaction, connectionId: string, runId: string): Promise<void> {
    const { times } = this.#services;
    const values = checkBegun.valuesOf({
      ...{ tenant: tenant.uuid, connection: decodeId("con", connectionId), run: decodeId("run", runId) },
      nextProbeAt: times.next(times.clock()).toISOString(),
    });
    return defer(checkBegun, values);
  }

  #transaction<T>(tenantId: string, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const tenant: Tenant = tenantWithId(tenantId);
    const cause = { trace: continueTrace(undefined), actorId: systemActor };
    return this.#services.database.transaction(tenant, cause, work);
  }
}

async function openCheckOf({ execute, tenant }: Transaction, connectionId: string): Promise<string | undefined> {
  const [open] = await execute<{ run_id: string }>(openCheck, [tenant.uuid, decodeId("con", connectionId)]);
  return open && encodeId("run", open.run_id);
}
