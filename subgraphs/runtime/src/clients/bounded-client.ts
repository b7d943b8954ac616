import pg from "pg";
import { type DatabaseFailure, DatabaseUnavailable, databaseFailure } from "../errors/database-failure.js";
import { systemErrorCode } from "../errors/system-error.js";
import { connectionPatience } from "./connection-patience.js";
import { afterLoopTime } from "./loop-time.js";

const endMs = 2000;
const answerMs = 5000;

/** After these failures the connection's other statements fail too, although it may stay open. */
const spending: readonly (DatabaseFailure | undefined)[] = ["Lost", "Refused", "Forgotten", "ReadOnly"];

/** A client that gives up when the server does not take the connection, or does not confirm its end, in time. */
export class BoundedClient extends pg.Client {
  /** When the connection was requested (`performance.now`). */
  readonly madeAt = performance.now();
  /** Called with each answer after which the connection must not be used again. */
  onSpent: ((answer: Error) => void) | undefined;
  #spent = false;

  constructor(config: pg.ClientConfig = {}) {
    super({ keepAlive: true, keepAliveInitialDelayMillis: 10_000, ...config });
    this.connection.on("errorMessage", (answer: Error) => {
      if (!spending.includes(databaseFailure(answer))) return;
      this.#spent = true;
      this.onSpent?.(answer);
    });
  }

  /** Whether the connection must not be used again. */
  get spent(): boolean {
    return this.#spent || this.connection.stream.destroyed;
  }

  override connect(): Promise<pg.Client>;
  override connect(done: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    const reason = new DatabaseUnavailable("Lost", "The database did not take the connection in time");
    const cancelTimer = afterLoopTime(connectionPatience.ms, () => this.connection.stream.destroy(reason));
    if (callback === undefined)
      return super
        .connect()
        .catch((error: Error) => {
          throw refusalOf(error);
        })
        .finally(cancelTimer);
    super.connect((error: Error) => {
      cancelTimer();
      callback(error && refusalOf(error));
    });
    return undefined;
  }

  override end(): Promise<void>;
  override end(done: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    // a peer that does not answer would not confirm the end
    const cancelTimer = afterLoopTime(endMs, () => this.connection.stream.destroy());
    if (callback === undefined) return super.end().finally(cancelTimer);
    super.end((error: Error) => {
      cancelTimer();
      callback(error);
    });
    return undefined;
  }

  /** Runs a short statement. A server that does not answer within 5 s loses the connection. */
  async ask(statement: string): Promise<void> {
    const reason = new DatabaseUnavailable("Lost", "The database did not answer in time");
    const cancelTimer = afterLoopTime(answerMs, () => this.connection.stream.destroy(reason));
    await this.query(statement).finally(cancelTimer);
  }
}

/** A server refuses a login for many reasons: a password, a certificate, a right, a rule in `pg_hba.conf`. */
function refusalOf(error: Error): Error {
  if (databaseFailure(error)) return error;
  // a name server may know the host again
  if (systemErrorCode(error) === "ENOTFOUND") return new DatabaseUnavailable("Lost", error.message, { cause: error });
  return new DatabaseUnavailable("Refused", "The database refuses the connection", { cause: error });
}
