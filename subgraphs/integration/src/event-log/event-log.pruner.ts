import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Pool } from "pg";

const retention = "7 days";
const periodMs = 60 * 60 * 1000;
const batchSize = 5000;

/** Forgets events past their retention and remembers, per tenant, up to where. */
export class EventLogPruner {
  readonly #pool: Pool;
  readonly #logger: Logger;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(workerPool: Pool, logger: Logger) {
    this.#pool = workerPool;
    this.#logger = logger;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running = this.prune().catch((error: unknown) => {
        this.#logger.warn({ err: error }, "event log not pruned, will be tried again");
      });
    }, periodMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async prune(): Promise<void> {
    for (;;) {
      const { rows } = await this.#pool.query<{ pruned: number }>(
        `with old as (select position from event_log where recorded_at < now() - interval '${retention}'
           order by recorded_at limit $1),
         gone as (delete from event_log using old where event_log.position = old.position
           returning event_log.tenant_id, event_log.position),
         moved as (
           insert into event_log_horizons as horizon (tenant_id, pruned_through)
           select tenant_id, max(position) from gone group by tenant_id
           on conflict (tenant_id) do update
             set pruned_through = greatest(horizon.pruned_through, excluded.pruned_through))
         select count(*)::int as pruned from gone`,
        [batchSize],
      );
      if ((rows[0]?.pruned ?? 0) < batchSize) return;
    }
  }
}
