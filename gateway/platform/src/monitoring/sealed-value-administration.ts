import type { BusPublisher } from "@factory/runtime/bus/bus";
import { createAuditRecord } from "@factory/runtime/messages/create-audit-record";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { TableProgress } from "@factory/runtime/resealing/reseal-table";
import type { Resealer } from "@factory/runtime/resealing/resealer";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";

/** A run over all subgraphs' sealed values. */
export interface RewrapProgress {
  readonly status: "NotStarted" | "Running" | "Ended" | "Failed";
  readonly tables: readonly (TableProgress & { readonly subgraph: string })[];
}

/** Seals all subgraphs' stored values again under the newest master key. The progress covers this process only. */
export class SealedValueAdministration {
  readonly #resealers: Readonly<Record<string, Resealer>>;
  readonly #bus: BusPublisher;
  readonly #logger: Logger;
  readonly #tables = new Map<string, TableProgress & { subgraph: string }>();
  #status: RewrapProgress["status"] = "NotStarted";

  constructor(resealers: Readonly<Record<string, Resealer>>, bus: BusPublisher, logger: Logger) {
    this.#resealers = resealers;
    this.#bus = bus;
    this.#logger = logger;
  }

  progress(): RewrapProgress {
    return { status: this.#status, tables: [...this.#tables.values()] };
  }

  async rewrap(cause: Cause): Promise<RewrapProgress> {
    if (this.#status === "Running") return this.progress();
    this.#status = "Running";
    this.#tables.clear();
    void this.#run();
    const action = { operation: "POST /sealed-values/rewrap", subject: "sealed-values" };
    await this.#bus.publish([createAuditRecord(action, { source: "gateway", tenantId: platformTenantId, cause })]);
    return this.progress();
  }

  async #run(): Promise<void> {
    const runs = Object.entries(this.#resealers).map(async ([subgraph, resealer]) => {
      const show = (progress: TableProgress) =>
        this.#tables.set(`${subgraph}.${progress.table}`, { subgraph, ...progress });
      for (const progress of await resealer.run(show)) show(progress);
    });
    const outcomes = await Promise.allSettled(runs);
    const failures = outcomes.flatMap((run) => (run.status === "rejected" ? [run.reason as unknown] : []));
    for (const error of failures) this.#logger.error({ err: error }, "stored values were not sealed again");
    this.#status = failures.length === 0 ? "Ended" : "Failed";
  }
}
