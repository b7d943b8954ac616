import { type IdPrefix } from "@factory/schema/id-prefixes";
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
import type { LyingRow, SweptRows } from "./sweeper.js";

const pageSize = 500;
/** A sweep looks no further; the next one comes in 30 s. */
const pagesAtMost = 40;
const patience = "60 seconds";

/** The states of a table that only a job ends. SQL text of our own. */
export interface WaitingRows<Payload extends TenantPayload> {
  readonly slice: string;
  readonly job: JobDefinition<Payload>;
  readonly table: string;
  /** Column of the row's id, which ascends with time; with an index of the waiting rows. */
  readonly id: string;
  readonly prefix: IdPrefix;
  /** Condition of the rows that wait. */
  readonly waiting: string;
  /** Column since when. */
  readonly since: string;
  /** Columns that the payload needs beside the ids. */
  readonly columns?: readonly string[];
  payload(row: WaitingRow): Payload;
}

export interface WaitingRow extends LyingRow {
  readonly columns: Readonly<Record<string, unknown>>;
}

interface FoundRow extends WaitingRow {
  readonly uuid: string;
}

/** Rows that wait for a job: each needs one that is to come, runs, or is a dead letter that will end the row. */
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

  async find(): Promise<FoundRow[]> {
    const found: FoundRow[] = [];
    let after = "00000000-0000-0000-0000-000000000000";
    for (let page = 0; page < pagesAtMost; page += 1) {
      const rows = await this.#page(after);
      const live = await this.#live(rows.map(({ id }) => id));
      found.push(...rows.filter((row) => !live.has(subjectKey(row.tenantId, row.id))));
      after = rows.at(-1)?.uuid ?? after;
      if (rows.length < pageSize) break;
    }
    return found;
  }

  async repair(row: FoundRow): Promise<boolean> {
    const { job } = this.#rows;
    const cause = { trace: continueTrace(undefined), actorId: "system" };
    const payload = this.#rows.payload(row);
    const found = await this.#database.transaction(tenantWithId(row.tenantId), cause, async (transaction) => {
      if (!(await this.#stillLies(transaction, row))) return undefined;
      const end = await this.#failedFor(row);
      if (!end) await this.#jobs.send(transaction, job, payload);
      return { end };
    });
    if (found?.end) await this.#jobs.abandon(job, payload, found.end);
    return found !== undefined;
  }

  async #page(after: string): Promise<FoundRow[]> {
    const { table, id, waiting, since, prefix, columns = [] } = this.#rows;
    const { rows } = await this.#jobs.sql.executeSql(
      `select ${["tenant_id", id, ...columns].join(", ")} from ${table}
       where ${waiting} and ${since} < now() - interval '${patience}' and ${id} > $1 order by ${id} limit ${pageSize}`,
      [after],
    );
    return rows.map((row) => {
      const uuid = String(row[id]);
      return { tenantId: encodeId("ten", String(row["tenant_id"])), id: encodeId(prefix, uuid), uuid, columns: row };
    });
  }

  async #live(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const { rows } = await this.#jobs.sql.executeSql(liveSubjects(this.#jobs.schema), [ids, this.#queues()]);
    return new Set(rows.map(({ tenant, subject }) => subjectKey(String(tenant), String(subject))));
  }

  /**
   * The row is locked: two sweepers do not both repair it, and it does not end meanwhile. Jobs are looked for over the
   * workers' connections, which see what was committed before the lock was given.
   */
  async #stillLies({ execute, tenant }: Transaction, { id, uuid }: FoundRow): Promise<boolean> {
    const { table, id: column, waiting } = this.#rows;
    const text = `select true as waits from ${table} where tenant_id = $1 and ${column} = $2 and ${waiting} for update`;
    const waits = await execute(text, [tenant.uuid, uuid]);
    return waits.length > 0 && (await this.#live([id])).size === 0;
  }

  /** The chances are used up, and the dead letter has not ended the row. */
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

/** A job of another tenant that names the same row is none of the row's. */
const subjectKey = (tenantId: string, subject: string) => `${tenantId} ${subject}`;

const liveSubjects = (schema: string) =>
  `select distinct group_id as tenant, singleton_key as subject from ${schema}.job
   where singleton_key = any($1::text[]) and name = any($2::text[]) and state < 'completed'`;
