import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { RunService } from "../../runs/run.service.js";
import type { ConnectionRecord } from "./connection.view.js";

const noteRun = {
  name: "connection_last_run",
  text: `update connections set last_run_id = $3, version = version + 1 where tenant_id = $1 and connection_id = $2`,
};

type Verified = Pick<ConnectionRecord, "connectionId" | "projectId">;

interface VerificationReasons {
  /** A probe that passes makes a Disabled connection Active. */
  readonly enable?: boolean;
  /** A person has authorized the connection: a probe that passes makes it Healthy at once. */
  readonly authorized?: boolean;
}

/** Starts and awaits the runs that verify a connection. */
export class Verification {
  readonly #runs: RunService;

  constructor(runs: RunService) {
    this.#runs = runs;
  }

  /** Starts the run for a connection that is not stored yet, and returns its id for `lastRunId`. */
  async startFirst(transaction: Transaction, connection: Verified, reasons: VerificationReasons = {}): Promise<string> {
    const { connectionId, projectId } = connection;
    const operation = "VerifyConnection";
    return (await this.#runs.startIn(transaction, { operation, connectionId, projectId, payload: { ...reasons } }))
      .runId;
  }

  /** Starts the run for a stored connection, and returns the connection with it. */
  async start<C extends Verified & Pick<ConnectionRecord, "version">>(
    transaction: Transaction,
    connection: C,
    reasons: VerificationReasons = {},
  ): Promise<C> {
    const lastRunId = await this.startFirst(transaction, connection, reasons);
    const { defer, tenant } = transaction;
    await defer(noteRun, [tenant.uuid, decodeId("con", connection.connectionId), decodeId("run", lastRunId)]);
    return { ...connection, lastRunId, version: connection.version + 1 };
  }

  /** Waits for the run's end as `RunService.waitAsAsked` does. Call it after the commit. */
  async wait(context: RequestContext, runId: string | null, waitSeconds: number | null | undefined): Promise<void> {
    if (runId !== null) await this.#runs.waitAsAsked(context, runId, waitSeconds);
  }
}
