import { type IdPrefix } from "@factory/schema/id-prefixes";
import { nilUuid } from "../../identifiers/nil-uuid.js";
import { encodeId } from "../../identifiers/wire-id.js";
import { continueTrace } from "../../telemetry/trace.js";
import { tenantWithId } from "../../tenancy/tenant.js";
import type { Database, Transaction } from "../../unit-of-work/database.js";
import {
  aloneQueue,
  deadQueue,
  type JobDefinition,
  type JobEnd,
  jobEnd,
  type TenantPayload,
} from "../definitions/job-definition.js";
import type { JobQueue } from "../queue/job-queue.js";
import type { StrandedRow, SweepPosition, SweptRows } from "./sweeper.js";

const pageSize = 500;
/** At most so many rows in one sweep. The next sweep comes in 30 s, and continues behind them. */
const pagesAtMost = 40;
const patience = "60 seconds";

/**
 * A table's rows in states that only a job ends. All members are the platform's SQL and must never contain a caller's
 * input.
 */
export interface WaitingRows<Payload extends TenantPayload> {
  readonly slice: string;
  readonly job: JobDefinition<Payload>;
  readonly table: string;
  /**
   * The column with the row's ID, which ascends with time. It needs an index over the waiting rows, unless `bySince`.
   */
  readonly id: string;
  readonly prefix: IdPrefix;
  /** The condition for waiting rows. */
  readonly waiting: string;
  /** The column with the time since which a row waits. */
  readonly since: string;
  /** For tables in which many rows do not wait yet: the index over the waiting rows has `since`, then `id`. */
  readonly bySince?: true;
  /** Further columns that the payload needs. */
  readonly columns?: readonly string[];
  payload(row: WaitingRow): Payload;
}

interface WaitingRow extends StrandedRow {
  readonly columns: Readonly<Record<string, unknown>>;
}

interface FoundRow extends WaitingRow {
  readonly uuid: string;
  /** Its place in the search order. */
  readonly place: readonly string[];
}

/**
 * Finds and repairs rows that wait for a job. Each needs a job that waits, runs, or is a dead letter that will end the
 * row.
 */
export class JobRows<Payload extends TenantPayload> implements SweptRows<FoundRow> {
  readonly slice: string;
  readonly #database: Database;
  readonly #jobs: JobQueue;
  readonly #rows: WaitingRows<Payload>;

  constructor(database: Database, jobs: JobQueue, rows: WaitingRows<Payload>) {
    this.slice = rows.slice;
    this.#database = database;
    this.#jobs = jobs;
    this.#rows = rows;
  }

  async find(position: SweepPosition = {}): Promise<FoundRow[]> {
    const foundRows: FoundRow[] = [];
    let after = position.after ?? (this.#rows.bySince ? ["-infinity", nilUuid] : [nilUuid]);
    let isOver = false;
    for (let page = 0; page < pagesAtMost && !isOver; page += 1) {
      const rows = await this.#page(after);
      const live = await this.#live(rows.map(({ id }) => id));
      foundRows.push(...rows.filter((row) => !live.has(subjectKey(row.tenantId, row.id))));
      after = rows.at(-1)?.place ?? after;
      isOver = rows.length < pageSize;
    }
    position.after = isOver ? undefined : after;
    return foundRows;
  }

  async repair(row: FoundRow): Promise<boolean> {
    const { job } = this.#rows;
    const cause = { trace: continueTrace(undefined), actorId: "system" };
    const payload = this.#rows.payload(row);
    const foundRow = await this.#database.transaction(tenantWithId(row.tenantId), cause, async (transaction) => {
      if (!(await this.#stillLies(transaction, row))) return undefined;
      const end = await this.#failedFor(row);
      if (!end) await this.#jobs.send(transaction, job, payload);
      return { end };
    });
    if (foundRow?.end) await this.#jobs.abandon(job, payload, foundRow.end);
    return foundRow !== undefined;
  }

  async #page(after: readonly string[]): Promise<FoundRow[]> {
    const { table, id, waiting, since, bySince, prefix, columns = [] } = this.#rows;
    const order = bySince ? [since, id] : [id];
    const place = order.map((column, at) => `(${column})::text as place_${at}`);
    const { rows } = await this.#jobs.sql.executeSql(
      `select ${["tenant_id", id, ...columns, ...place].join(", ")} from ${table}
       where ${waiting} and ${since} < now() - interval '${patience}'
         and (${order.join(", ")}) > (${order.map((_, at) => `$${at + 1}`).join(", ")})
       order by ${order.join(", ")} limit ${pageSize}`,
      [...after],
    );
    return rows.map((row) => ({
      tenantId: encodeId("ten", String(row["tenant_id"])),
      id: encodeId(prefix, String(row[id])),
      uuid: String(row[id]),
      place: order.map((_, at) => String(row[`place_${at}`])),
      columns: row,
    }));
  }

  async #live(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const { rows } = await this.#jobs.sql.executeSql(liveSubjects(this.#jobs.schema), [ids, this.#queues()]);
    return new Set(rows.map(({ tenant, subject }) => subjectKey(String(tenant), String(subject))));
  }

  /**
   * Repairs a row. The row is locked, so that two sweepers do not repair it and it does not end meanwhile. Jobs are
   * searched over the worker role's connections, which see everything that was committed before the lock was granted.
   */
  async #stillLies({ execute, tenant }: Transaction, { id, uuid }: FoundRow): Promise<boolean> {
    const { table, id: column, waiting } = this.#rows;
    const text = `select true as waits from ${table} where tenant_id = $1 and ${column} = $2 and ${waiting} for update`;
    const waits = await execute(text, [tenant.uuid, uuid]);
    return waits.length > 0 && (await this.#live([id])).size === 0;
  }

  /** Ends a row whose job has used up its attempts, since its dead letter did not end it. */
  async #failedFor({ id, tenantId }: FoundRow): Promise<JobEnd | undefined> {
    const { rows } = await this.#jobs.sql.executeSql(
      `select output from ${this.#jobs.schema}.job
       where group_id = $1 and state = 'failed' and singleton_key = $2 and name = any($3)
       order by created_on desc limit 1`,
      [tenantId, id, this.#queues()],
    );
    return rows[0] && jobEnd(rows[0]["output"]);
  }

  #queues(): string[] {
    const { queue } = this.#rows.job;
    return [queue, aloneQueue(queue), deadQueue(queue)];
  }
}

/** Another tenant's job with the same row ID does not belong to the row. */
const subjectKey = (tenantId: string, subject: string) => `${tenantId} ${subject}`;

const liveSubjects = (schema: string) =>
  `select distinct group_id as tenant, singleton_key as subject from ${schema}.job
   where singleton_key = any($1::text[]) and name = any($2::text[]) and state < 'completed'`;
