import type { PgBoss } from "pg-boss";
import type { PreparedStatement } from "../../db/transaction-dialect.js";
import type { Transaction } from "../../unit-of-work/database.js";
import type { JobDefinition, SendOptions, TenantPayload } from "../definitions/job-definition.js";

/** Inserts jobs into their queues. */
export class JobSender {
  readonly #boss: PgBoss;
  readonly #sending: PreparedStatement;
  readonly #redriving: PreparedStatement;

  constructor(boss: PgBoss, schema: string) {
    this.#boss = boss;
    this.#sending = { name: "send_jobs", text: `select ${schema}.send_jobs($1, $2, $3)` };
    this.#redriving = { name: "redrive_job", text: `select ${schema}.redrive_job($1)` };
  }

  /** Inserts jobs within the transaction, in one deferred statement. */
  send<P extends TenantPayload>(
    transaction: Transaction,
    { queue }: JobDefinition<P>,
    payloads: readonly P[],
    { startAfter }: SendOptions,
  ): Promise<void> {
    return transaction.defer(this.#sending, [queue, JSON.stringify(payloads), startAfter?.toISOString() ?? null]);
  }

  /** Sends a failed job again for the transaction's tenant, in a deferred statement. */
  redrive(transaction: Transaction, jobId: string): Promise<void> {
    return transaction.defer(this.#redriving, [jobId]);
  }

  /** Inserts a job without a transaction, to start later. */
  async sendAgain<P extends TenantPayload>(
    { queue, subject }: JobDefinition<P>,
    data: P,
    startAfter: Date,
  ): Promise<void> {
    const singletonKey = subject === undefined ? undefined : String((data as Record<string, unknown>)[subject]);
    const job = { data, group: { id: data.tenantId }, startAfter };
    await this.#boss.insert(queue, [{ ...job, ...(singletonKey === undefined ? {} : { singletonKey }) }]);
  }
}
