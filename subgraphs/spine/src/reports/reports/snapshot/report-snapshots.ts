import { openPool } from "@factory/runtime/connections/pool";
import { databaseFailure } from "@factory/runtime/errors/database-failure";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Pool } from "pg";
import { ReportSnapshot } from "./report-snapshot.js";

/** A snapshot keeps dead rows of the whole database alive, so it may not be open for longer. */
const longestMs = 10 * 60_000;
/** The limit of one statement. The role's own limit is meant for requests. */
const statementMs = 120_000;
/** The writer of a report works between two statements. */
const idleMs = 60_000;

const begin = `begin transaction isolation level repeatable read, read only;
  set local statement_timeout = ${statementMs}; set local idle_in_transaction_session_timeout = ${idleMs};
  set local cursor_tuple_fraction = 1; set local timezone = 'UTC'; set local jit = off`;

/** Opens snapshots of the rows of one tenant, on connections that requests do not use. */
export class ReportSnapshots {
  readonly #pool: Pool;

  /** `url` connects as the role that serves requests, so row-level security holds. */
  constructor(url: string, connections: number, logger: Logger) {
    this.#pool = openPool(url, connections, logger, { silenceMs: statementMs + 20_000 });
  }

  /** Runs `work` in one snapshot of the tenant's rows. A statement that runs when `signal` is aborted is ended. */
  async use<T>(tenant: Tenant, signal: AbortSignal, work: (snapshot: ReportSnapshot) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const client = await this.#pool.connect();
    const late = AbortSignal.timeout(longestMs);
    const ended = AbortSignal.any([signal, late]);
    // The server ends the statement of a connection that was closed.
    const cut = () => client.connection.stream.destroy();
    ended.addEventListener("abort", cut, { once: true });
    let isOpen = true;
    const close = (failure?: Error) => {
      isOpen = false;
      ended.removeEventListener("abort", cut);
      // An open transaction ends with its connection.
      client.release(failure);
    };
    const end = async () => {
      if (isOpen) await client.query("rollback").then(() => close(), close);
    };
    try {
      await client.query(begin);
      await client.query("select set_config('app.tenant', $1, true)", [tenant.uuid]);
      const result = await work(new ReportSnapshot(client, ended, end));
      await end();
      return result;
    } catch (error) {
      const wasOpen = isOpen;
      if (isOpen) close(error as Error);
      signal.throwIfAborted();
      // Another attempt of the same statement would take as long.
      throw wasOpen && (late.aborted || databaseFailure(error) === "TimedOut") ? tooLong() : error;
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}

const tooLong = () =>
  new DomainError("RUN_TOO_LONG", {
    detail: `The report took longer than ${longestMs / 60_000} minutes. Use a shorter period.`,
  });
