import type { QueryResultRow } from "pg";
import { type DatabaseUnavailable, isConnectionLost } from "../errors/database-failure.js";
import { foreignJsonTypes } from "./foreign-json-types.js";
import { PipelinedClient } from "./pipelined-client.js";
import type { ServerClient, ServerWatch } from "./server-watch.js";

export interface Read {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/**
 * Sends short reads over few connections. Reads of one turn of the event loop are sent in one write. Each read ends with
 * its own Sync, so it is its own transaction and fails alone (PostgreSQL, "Frontend/Backend Protocol", Pipelining). A
 * read waits for earlier reads on its connection, so only fast statements may use it.
 */
export class ReadPipeline implements ServerClient {
  readonly #url: string;
  readonly #watch: ServerWatch;
  readonly #leave: () => void;
  readonly #lanes: (Lane | undefined)[];
  /** Collects the reads of this turn of the event loop. */
  #current: Lane | undefined;
  #closed = false;

  constructor(url: string, connections: number, watch: ServerWatch) {
    this.#url = url;
    this.#watch = watch;
    this.#leave = watch.join(this);
    this.#lanes = Array.from({ length: connections });
  }

  query<R extends QueryResultRow>(read: Read): Promise<R[]> {
    if (this.#closed) return Promise.reject(new Error("Connection terminated"));
    const { refusal } = this.#watch;
    if (refusal) return Promise.reject(refusal);
    return (this.#current ?? this.#nextTurn()).query<R>(read);
  }

  #nextTurn(): Lane {
    const lane = this.#leastBusy();
    this.#current = lane;
    lane.hold();
    setImmediate(() => {
      this.#current = undefined;
      lane.send();
    });
    return lane;
  }

  #leastBusy(): Lane {
    let best = 0;
    for (const [place, lane] of this.#lanes.entries()) {
      if (load(lane) < load(this.#lanes[best])) best = place;
    }
    const chosen = this.#lanes[best];
    if (chosen && !chosen.lost) return chosen;
    const opened = new Lane(this.#url);
    this.#lanes[best] = opened;
    return opened;
  }

  /** A connection attempt has its own time limit. */
  sweep(): void {}

  /** Connections without waiting reads stay open: they work again when the server continues. */
  abandon(reason: DatabaseUnavailable): void {
    for (const lane of this.#lanes) if (lane && lane.waiting > 0) lane.destroy(reason);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const { refusal } = this.#watch;
    this.#leave();
    if (refusal) for (const lane of this.#lanes) lane?.destroy(refusal);
    await Promise.all(this.#lanes.map(async (lane) => lane?.close()));
  }
}

/** Prefers an idle connection, then a new one, then the least busy one. */
function load(lane: Lane | undefined): number {
  if (!lane || lane.lost) return 0.5;
  return lane.waiting;
}

/** One connection of the pipeline. A lost connection is replaced, not reopened. */
class Lane {
  waiting = 0;
  lost = false;
  readonly #client: PipelinedClient;
  readonly #connecting: Promise<unknown>;
  #connected = false;

  constructor(connectionString: string) {
    this.#client = new PipelinedClient({ connectionString, types: foreignJsonTypes() });
    const lose = () => {
      this.lost = true;
    };
    this.#client.on("error", lose).on("end", lose);
    this.#connecting = this.#client.connect().then(() => {
      this.#connected = true;
    });
    this.#connecting.catch(lose);
  }

  hold(): void {
    this.#client.hold();
  }

  send(): void {
    this.#client.send();
  }

  async query<R extends QueryResultRow>(read: Read): Promise<R[]> {
    this.waiting += 1;
    try {
      // Queries of a client that never connected would wait forever.
      if (!this.#connected) await this.#connecting;
      return (await this.#client.query<R>(read)).rows;
    } catch (error) {
      // The server reports the end before the socket closes.
      this.lost ||= isConnectionLost(error);
      throw error;
    } finally {
      this.waiting -= 1;
    }
  }

  destroy(reason: Error): void {
    this.lost = true;
    this.#client.connection.stream.destroy(reason);
  }

  async close(): Promise<void> {
    await this.#connecting.catch(() => undefined);
    await this.#client.end();
  }
}
