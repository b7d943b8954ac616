import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  type QueryResult,
  type TransactionSettings,
} from "kysely";
import type { QueryResult as PgResult, Pool, PoolClient, QueryConfig } from "pg";
import type { PipelinedClient } from "../connections/pipelined-client.js";
import { DatabaseUnavailable, isConnectionLost } from "../errors/database-failure.js";
import { systemErrorCode } from "../errors/system-error.js";

/** A statement that each connection prepares once under its name. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/** SQL text, or a prepared statement. */
export type Statement = string | PreparedStatement;

interface StatementQuery extends CompiledQuery {
  readonly name?: string;
  readonly deferred?: true;
  readonly take?: TakeRows | undefined;
}

/** Takes a deferred statement's rows. */
export type TakeRows = (rows: Record<string, unknown>[]) => void;

/** A Kysely query from SQL text with PostgreSQL's placeholders (`$1`). */
export function statementQuery(statement: Statement, values: readonly unknown[] = []): StatementQuery {
  if (typeof statement === "string") return CompiledQuery.raw(statement, [...values]);
  return { ...CompiledQuery.raw(statement.text, [...values]), name: statement.name };
}

/** A query that is sent together with the next one, without waiting for its answer. */
export const deferredQuery = (statement: Statement, values?: readonly unknown[], take?: TakeRows): StatementQuery => ({
  ...statementQuery(statement, values),
  deferred: true,
  take,
});

const writes = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/**
 * A Kysely dialect over pipelined clients that needs few round trips. BEGIN and deferred statements are sent with the
 * next awaited statement, at the latest with COMMIT. When a statement fails, the server refuses later ones, and the
 * awaited statement throws the first error. If BEGIN itself were refused, later statements would run without a
 * transaction. Then the tenant's variable would be unset, and no policy would show or accept a row.
 */
export class TransactionDialect extends PostgresDialect {
  readonly #pool: Pool;

  /** The pool's clients must be PipelinedClients. The dialect does not end the pool. */
  constructor(pool: Pool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): Driver {
    return new TransactionDriver(this.#pool);
  }
}

class TransactionDriver implements Driver {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<TransactionConnection> {
    return new TransactionConnection((await this.#pool.connect()) as PipelinedClient & PoolClient);
  }

  async beginTransaction(connection: TransactionConnection, settings: TransactionSettings): Promise<void> {
    const { isolationLevel, accessMode } = settings;
    const level = isolationLevel === undefined ? "" : ` isolation level ${isolationLevel}`;
    const access = accessMode === undefined ? "" : ` ${accessMode}`;
    await connection.executeQuery(deferredQuery(`begin${level}${access}`));
  }

  commitTransaction(connection: TransactionConnection): Promise<void> {
    return connection.commit();
  }

  rollbackTransaction(connection: TransactionConnection): Promise<void> {
    return connection.rollback();
  }

  async savepoint(connection: TransactionConnection, name: string): Promise<void> {
    await connection.run(`savepoint "${name}"`);
  }

  async rollbackToSavepoint(connection: TransactionConnection, name: string): Promise<void> {
    await connection.run(`rollback to "${name}"`);
    connection.recover();
  }

  async releaseSavepoint(connection: TransactionConnection, name: string): Promise<void> {
    await connection.run(`release "${name}"`);
  }

  async releaseConnection(connection: TransactionConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {}
}

/** A pool client during one transaction. */
class TransactionConnection implements DatabaseConnection {
  readonly #client: PipelinedClient & PoolClient;
  #unanswered: Promise<PgResult>[] = [];
  #over = false;
  #lost = false;
  /** The first failed statement's error. */
  #failure: unknown;

  constructor(client: PipelinedClient & PoolClient) {
    this.#client = client;
  }

  async executeQuery<Row>({ sql: text, parameters, name, deferred, take }: StatementQuery): Promise<QueryResult<Row>> {
    if (this.#over) throw new Error("The transaction has ended");
    const statement = { text, values: [...parameters], ...(name === undefined ? {} : { name }) };
    if (deferred) {
      this.#defer(statement, take);
      return { rows: [] };
    }
    const { command, rowCount, rows } = await this.#answer(statement);
    return writes.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
  }

  async run(text: string): Promise<void> {
    await this.executeQuery(CompiledQuery.raw(text));
  }

  /** The failed statements were rolled back. */
  recover(): void {
    this.#failure = undefined;
  }

  async commit(): Promise<void> {
    this.#over = true;
    const { command } = await this.#answer({ text: "commit" }).catch((cause: unknown) => {
      if (!isConnectionLost(cause)) throw cause;
      throw new DatabaseUnavailable("Unconfirmed", "The connection was lost while the transaction was committed", {
        cause,
      });
    });
    // The server answers a failed transaction's COMMIT with ROLLBACK, which the driver does not report as an error.
    if (command !== "COMMIT") throw new Error("A statement of the transaction has failed", { cause: this.#failure });
  }

  /** Never throws: a connection that cannot roll back is lost, and its transaction with it. */
  async rollback(): Promise<void> {
    this.#over = true;
    const outcome = (await this.#settle({ text: "rollback" })).at(-1);
    this.#lost = outcome?.status !== "fulfilled" || outcome.value.command !== "ROLLBACK";
  }

  release(): void {
    this.#over = true;
    this.#client.send();
    this.#client.release(this.#lost || this.#unanswered.length > 0);
  }

  streamQuery(): never {
    throw new Error("A transaction cannot stream rows");
  }

  /**
   * Defers a statement. Values that the driver could fail to encode are refused here: otherwise the rest would be
   * committed without it.
   */
  #defer(statement: QueryConfig<unknown[]>, take?: TakeRows): void {
    if (!statement.values?.every(isPlain)) throw new TypeError("A deferred statement takes texts, numbers and lists");
    this.#client.hold();
    const answer = this.#client.query(statement);
    // before anybody who waits for the statement that follows
    answer.then(
      ({ rows }) => take?.(rows),
      () => undefined,
    );
    this.#unanswered.push(answer);
  }

  async #answer(statement: QueryConfig): Promise<PgResult> {
    const outcomes = await this.#settle(statement);
    const failure = outcomes.find(({ status }) => status === "rejected");
    if (failure?.status === "rejected") {
      const isFollower = followerCodes.includes(systemErrorCode(failure.reason) ?? "");
      this.#failure = isFollower ? (this.#failure ?? failure.reason) : failure.reason;
      throw this.#failure;
    }
    return (outcomes.at(-1) as PromiseFulfilledResult<PgResult>).value;
  }

  /** The answers to the deferred statements and, last, to this one. */
  #settle(statement: QueryConfig): Promise<PromiseSettledResult<PgResult>[]> {
    const statements = [...this.#unanswered, this.#client.query(statement)];
    this.#unanswered = [];
    this.#client.send();
    return Promise.allSettled(statements);
  }
}

/** The answers to a statement behind a failed one: in_failed_sql_transaction, and invalid_sql_statement_name. */
const followerCodes: readonly unknown[] = ["25P02", "26000"];

const isPlain = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.every(isPlain)
    : value === null || (typeof value !== "object" && typeof value !== "bigint");
