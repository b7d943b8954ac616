import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { RunService } from "../../runs/run.service.js";
import type { RunRecord } from "../../runs/run-record.js";
import type { CheckStarter } from "./check-starter.js";

interface Services {
  readonly database: Database;
  readonly runs: RunService;
  readonly starter: CheckStarter;
}

/** Checks that a tenant asks for. */
export class ConnectionHealthService {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Starts a check in any state but Deleted, and may wait for its end. */
  async check(
    context: RequestContext,
    connectionId: string,
    waitSeconds: number | null | undefined,
  ): Promise<RunRecord> {
    const { database, runs, starter } = this.#services;
    const { runId } = await idempotentMutation(database, context, {
      field: "checkConnectionHealth",
      arguments: { connectionId },
      commit: async (transaction) => ({ runId: await starter.startAskedIn(transaction, connectionId) }),
    });
    await runs.waitAsAsked(context, runId, waitSeconds);
    return runs.get(context, runId);
  }
}
