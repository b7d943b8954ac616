import type { PgBoss } from "pg-boss";
import type { Transaction } from "../db/database.js";
import type { JobDefinition, SendOptions, TenantPayload } from "./job-definition.js";

/** Writes jobs into their queues. */
export class JobSender {
  readonly #boss: PgBoss;
  readonly #schema: string;

  constructor(boss: PgBoss, schema: string) {
    this.#boss = boss;
    this.#schema = schema;
  }

  /** With the transaction, in one statement. */
  async send<P extends TenantPayload>(
    transaction: Transaction,
    job: JobDefinition<P>,
    payloads: readonly P[],
    options: SendOptions,
  ): Promise<void> {
    const db = {
      executeSql: async (text: string, values?: unknown[]) => ({ rows: await transaction.execute(text, values) }),
    };
    const turn = job.fair ? await this.#nextTurn(transaction, job) : 0;
    const jobs = payloads.map((data) => ({ ...options, ...sent(job, data), priority: -turn }));
    await this.#boss.insert(job.queue, jobs, { db });
  }

  /** By itself, for later. */
  async sendAgain<P extends TenantPayload>(job: JobDefinition<P>, payload: P, startAfter: Date): Promise<void> {
    await this.#boss.insert(job.queue, [{ ...sent(job, payload), startAfter }]);
  }

  /**
   * Start-time fair queueing (Goyal, Vin, Cheng 1996) with jobs of one cost: after the tenant's own last waiting job,
   * and not before what is served now.
   */
  async #nextTurn({ tenant, execute }: Transaction, { queue }: JobDefinition<object>): Promise<number> {
    const [found] = await execute<{ turn: number }>(
      `select greatest(1 + coalesce(max(-priority) filter (where group_id = $2), 0), coalesce(min(-priority), 0)) as turn
       from ${this.#schema}.job where name = $1 and state < 'active' and not blocked`,
      [queue, tenant.tenantId],
    );
    return found?.turn ?? 1;
  }
}

function sent<P extends TenantPayload>({ subject }: JobDefinition<P>, data: P) {
  const singletonKey = subject === undefined ? undefined : String((data as Record<string, unknown>)[subject]);
  return { data, group: { id: data.tenantId }, ...(singletonKey === undefined ? {} : { singletonKey }) };
}
