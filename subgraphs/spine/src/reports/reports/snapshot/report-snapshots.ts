import { openPool } from "@factory/runtime/connections/pool";
import { databaseFailure } from "@factory/runtime/errors/database-failure";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Pool } from "pg";
import { ReportSnapshot } from "./report-snapshot.js";

/** A snapshot keeps dead rows alive in the whole database, so it may not be open for longer. */
const longestMs = 10 * 60_000;
/** The limit for one statement. The role's own limit is meant for requests. */
const statementMs = 120_000;
/** The report's writer works between two statements. */
const idleMs = 60_000;

const begin = `begin transaction isolation level repeatable read, read only;
  set local statement_timeout = ${statementMs}; set local idle_in_transaction_session_timeout = ${idleMs};
  set local cursor_tuple_fraction = 1; set local timezone = 'UTC'; set local jit = off`;

/** Opens snapshots with one tenant's rows, on connections that requests do not use. */
export class ReportSnapshots {
  readonly #pool: Pool;

  /** `url` connects as the role that serves requests, so row-level security holds. */
  constructor(url: string, connections: number, logger: Logger) {
    this.#pool = openPool(url, connections, logger, { silenceMs: statementMs + 20_000 });
  }

  /** Runs `work` in one snapshot with the tenant's rows. A statement that runs when `signal` is aborted is ended. */
  async use<T>(tenant: Tenant, signal: AbortSignal, work: (snapshot: ReportSnapshot) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const client = await this.#pool.connect();
    const late = AbortSignal.timeout(longestMs);
    const endSignal = AbortSignal.any([signal, late]);
    // The server ends the statement on a closed connection.
    const cut = () => client.connection.stream.destroy();
    endSignal.addEventListener("abort", cut, { once: true });
    let isOpen = true;
    const close = (failure?: Error) => {
      isOpen = false;
      endSignal.removeEventListener("abort", cut);
      // An open transaction ends with its connection.
      client.release(failure);
    };
    const end = async () => {
      if (isOpen) await client.query("rollback").then(() => close(), close);
    };
    try {
      await client.query(begin);
      await client.query("select set_config('app.tenant', $1, true)", [tenant.uuid]);
      const result = await work(new ReportSnapshot(client, endSignal, end));
      await end();
      return result;
    } catch (error) {
      const wasOpen = isOpen;
      if (isOpen) close(error as Error);
      signal.throwIfAborted();
      // Another attempt at the same statement would take as long.
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
