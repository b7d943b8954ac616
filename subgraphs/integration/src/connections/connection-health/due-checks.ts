import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { type Drained, DrainLoop } from "@factory/runtime/loops/drain-loop";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Pool } from "pg";
import type { ConnectionRow } from "../connections/connection.view.js";
import type { CheckStarter } from "./check-starter.js";
import { dueConnections } from "./check-statement.js";
import type { ProbeTimes } from "./probe-times.js";

interface Resources {
  /** Connects as the worker role, which sees all tenants' connections. */
  readonly workers: Pick<Pool, "query">;
  readonly starter: CheckStarter;
  readonly times: ProbeTimes;
  readonly logger: Logger;
}

type DueRow = Pick<ConnectionRow, "tenant_id" | "connection_id">;

const longestLookIntervalMs = 5000;
/** Looks use at most 5 % of the time. */
const lookRest = 20;

/**
 * Looks for connections whose check is due, and starts as many checks as may run at the same time. When a check has
 * ended, the next one begins.
 */
export class DueChecks {
  readonly #resources: Resources;
  readonly #loop: DrainLoop;
  #lookAt = 0;
  #restUntil = 0;

  constructor(resources: Resources) {
    this.#resources = resources;
    this.#loop = new DrainLoop("connection checks", () => this.#drain(), resources.logger);
  }

  start(): void {
    this.#loop.wake();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** A check has ended, so another one may begin. */
  hasRoom(): void {
    this.#lookAt = 0;
    this.#loop.wake();
  }

  async #drain(): Promise<Drained> {
    const waitMs = Math.max(this.#lookAt, this.#restUntil) - performance.now();
    if (waitMs > 0) return waitMs;
    const { workers, times } = this.#resources;
    const startTime = performance.now();
    this.#lookAt = startTime + Math.min(longestLookIntervalMs, times.intervalMs / 4);
    const { rows } = await workers.query<DueRow>({ ...dueConnections, values: [times.clock()] });
    this.#restUntil = performance.now() + (performance.now() - startTime) * lookRest;
    for (const row of rows) await this.#startCheck(row);
    return "empty";
  }

  /** A check that cannot be started does not stop the others. */
  async #startCheck(row: DueRow): Promise<void> {
    const { starter, logger } = this.#resources;
    const ids = { tenantId: encodeId("ten", row.tenant_id), connectionId: encodeId("con", row.connection_id) };
    try {
      await starter.startDue(ids.tenantId, ids.connectionId);
    } catch (error) {
      logger.warn({ err: error, ...ids }, "the check of a connection was not started; the next look is soon");
    }
  }
}
