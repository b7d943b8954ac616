import pg from "pg";
import { DatabaseUnavailable } from "../errors/database-failure.js";
import { afterLoopTime } from "./loop-time.js";

const connectMs = 2000;

/** A client that gives up when it cannot connect within 2 s. */
export class BoundedClient extends pg.Client {
  constructor(config: pg.ClientConfig = {}) {
    super({ keepAlive: true, keepAliveInitialDelayMillis: 10_000, ...config });
  }

  override connect(): Promise<pg.Client>;
  override connect(done: (error: Error) => void): void;
  override connect(done?: (error: Error) => void): Promise<pg.Client> | undefined {
    const reason = new DatabaseUnavailable("Lost", "The database did not take the connection in time");
    const made = afterLoopTime(connectMs, () => this.connection.stream.destroy(reason));
    if (done === undefined) return super.connect().finally(made);
    super.connect((error: Error) => {
      made();
      done(error);
    });
    return undefined;
  }
}
