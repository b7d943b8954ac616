import type { QueryResultRow } from "pg";
import type { ConnectionShares } from "../connections/connection-shares.js";
import { foreignJsonTypes } from "../connections/foreign-json-types.js";
import type { ReadPipeline } from "../connections/read-pipeline.js";
import type { WatchedPool } from "../connections/watched-pool.js";
import type { Tenant } from "../tenancy/tenant.js";
import type { KeyStatement } from "./key-statement.js";
import { KeyedReads } from "./keyed-reads.js";
import type { TenantStatement } from "./tenant-statement.js";

/** The pg parsers: the pool belongs to the ORM, which keeps timestamps as text. */
const readTypes = foreignJsonTypes();

/** Runs a tenant's prepared reads. */
export class TenantReader {
  readonly #pool: WatchedPool;
  readonly #pipeline: ReadPipeline;
  readonly #shares: ConnectionShares;
  readonly #keyedReads = new KeyedReads((statement, values) => this.#send(statement, values));
  /** The reads in this event-loop turn, which are sent at its end. */
  #turn: Map<string, Promise<QueryResultRow[]>> | undefined;

  constructor(pool: WatchedPool, pipeline: ReadPipeline, shares: ConnectionShares) {
    this.#pool = pool;
    this.#pipeline = pipeline;
    this.#shares = shares;
  }

  async rows<R extends QueryResultRow>(
    { name, text }: TenantStatement,
    tenant: Tenant,
    ...values: unknown[]
  ): Promise<R[]> {
    const query = { name, text, values: [tenant.uuid, ...values], types: readTypes };
    return this.#shares.run(tenant.tenantId, async () => (await this.#pool.read<R>(query, tenant.caller)).rows);
  }

  /**
   * Reads one row by a key. The read shares its connection with others, so it must be fast. Equal reads in one
   * event-loop turn are sent once, and their callers share the row. Reads by a key statement that are asked for together
   * are one statement. No read misses what was committed before it was asked.
   */
  async row<R extends QueryResultRow>(
    statement: TenantStatement | KeyStatement,
    tenant: Tenant,
    ...values: unknown[]
  ): Promise<R | undefined> {
    if ("several" in statement) return (await this.#keyedReads.row(statement, tenant.uuid, values)) as R | undefined;
    return ((await this.#send(statement, [tenant.uuid, ...values])) as R[])[0];
  }

  #send({ name, text }: TenantStatement, values: unknown[]): Promise<QueryResultRow[]> {
    const turn = this.#turn ?? this.#nextTurn();
    const key = JSON.stringify([name, values]);
    const running = turn.get(key) ?? this.#pipeline.query({ name, text, values });
    turn.set(key, running);
    return running;
  }

  #nextTurn(): Map<string, Promise<QueryResultRow[]>> {
    const turn = new Map<string, Promise<QueryResultRow[]>>();
    this.#turn = turn;
    setImmediate(() => {
      this.#turn = undefined;
    });
    return turn;
  }
}
