import type { BusMessage } from "@factory/runtime/bus/bus";
import { failpoint } from "@factory/runtime/faults/failpoint";
import type { AuditRecord } from "@factory/runtime/messages/audit-record";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type WorkerPool, workerTransaction } from "@factory/runtime/unit-of-work/worker-transaction";
import { platformTenant } from "../tenants/tenants/platform-tenant.js";
import { appendRecords } from "./append-records.js";
import { newRecord } from "./record-facts.js";

/** Takes audit records from the bus and chains them, all tenants in a batch in one transaction. */
export class AuditChain {
  readonly #workers: WorkerPool;
  readonly #clock: () => Date;

  constructor(workers: WorkerPool, clock: () => Date) {
    this.#workers = workers;
    this.#clock = clock;
  }

  /** The bus may deliver a record again, which changes nothing. */
  async take(messages: readonly BusMessage<AuditRecord>[]): Promise<void> {
    const records = messages.map(({ envelope }) => newRecord(envelope));
    const cause = { trace: continueTrace(undefined), actorId: "audit-log" };
    // The transaction's tenant does not matter: the policies let the worker role write every tenant's rows.
    await workerTransaction(this.#workers, platformTenant, cause, async (transaction) => {
      await appendRecords(transaction, records, this.#clock());
      failpoint("audit.chaining");
    });
    failpoint("audit.chained");
  }
}
