import type { QueryResultRow } from "pg";
import { type DatabaseUnavailable, isConnectionLost, isForgotten } from "../errors/database-failure.js";
import { foreignJsonTypes } from "./foreign-json-types.js";
import { PipelinedClient } from "./pipelined-client.js";
import type { ServerClient, ServerWatch } from "./server-watch.js";

interface Read {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/**
 * Sends short reads over few connections. Reads from one event-loop turn are sent in one write. Each read ends with its
 * own Sync, so it is its own transaction and fails alone (PostgreSQL, "Frontend/Backend Protocol", Pipelining). A read
 * waits for earlier reads on its connection, so only fast statements may use it.
 */
export class ReadPipeline implements ServerClient {
  readonly #url: string;
  readonly #watch: ServerWatch;
  readonly #leave: () => void;
  readonly #lanes: (Lane | undefined)[];
  /** Replaced connections that still have running reads. */
  readonly #replaced = new Set<Lane>();
  /** Collects the reads in this turn of the event loop. */
  #current: Lane | undefined;
  #closed = false;

  constructor(url: string, connections: number, watch: ServerWatch) {
    this.#url = url;
    this.#watch = watch;
    this.#leave = watch.join(this);
    this.#lanes = Array.from({ length: connections });
  }

  /**
   * The server prepares a read when a connection sends it first. When that fails, the same reads behind it fail for the
   * same reason. When the server has forgotten a prepared read, it is sent once more over a new connection.
   */
  async query<R extends QueryResultRow>(statement: Read): Promise<R[]> {
    const lane = this.#laneOfTurn();
    try {
      return await lane.query<R>(statement);
    } catch (error) {
      this.#watch.note(error, this.#url);
      if (!isForgotten(error)) throw error;
      const reason = lane.unprepared.get(statement.name);
      if (reason) throw reason;
      if (!lane.forgot) this.renew(performance.now());
      lane.forgot = true;
    }
    return this.#laneOfTurn().query<R>(statement);
  }

  #laneOfTurn(): Lane {
    if (this.#closed) throw new Error("Connection terminated");
    const { refusal } = this.#watch;
    if (refusal) throw refusal;
    return this.#current && !this.#current.lost ? this.#current : this.#nextTurn();
  }

  #nextTurn(): Lane {
    const lane = this.#leastBusy();
    this.#current = lane;
    lane.hold();
    setImmediate(() => {
      if (this.#current === lane) this.#current = undefined;
      lane.send();
    });
    return lane;
  }

  #leastBusy(): Lane {
    let best = 0;
    for (const [place, lane] of this.#lanes.entries()) {
      if (load(lane) < load(this.#lanes[best])) best = place;
    }
    const leastBusy = this.#lanes[best];
    if (leastBusy && !leastBusy.lost) return leastBusy;
    if (leastBusy) this.#replace(leastBusy);
    const newLane = new Lane(this.#url);
    this.#lanes[best] = newLane;
    return newLane;
  }

  /** Closes a connection after its running reads. */
  #replace(lane: Lane): void {
    lane.lost = true;
    if (this.#replaced.has(lane)) return;
    this.#replaced.add(lane);
    void lane.close().finally(() => this.#replaced.delete(lane));
  }

  /** A connection attempt has its own time limit. */
  sweep(): void {}

  abandon(reason: DatabaseUnavailable): void {
    for (const lane of this.#all()) lane.destroy(reason);
  }

  renew(madeBefore: number, reason?: DatabaseUnavailable): void {
    for (const lane of this.#all()) {
      if (lane.madeAt >= madeBefore) continue;
      if (reason) lane.destroy(reason);
      else this.#replace(lane);
    }
  }

  #all(): Lane[] {
    return [...new Set([...this.#lanes, ...this.#replaced])].filter((lane) => lane !== undefined);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const { refusal } = this.#watch;
    this.#leave();
    if (refusal) for (const lane of this.#all()) lane.destroy(refusal);
    await Promise.all(this.#all().map((lane) => lane.close()));
  }
}

/** Prefers an idle connection, then a new one, then the least busy one. */
function load(lane: Lane | undefined): number {
  if (!lane || lane.lost) return 0.5;
  return lane.waiting;
}

/** One pipeline connection. A lost connection is replaced, not reopened. */
class Lane {
  waiting = 0;
  lost = false;
  /** Whether the server has forgotten a prepared read. */
  forgot = false;
  /** Why reads could not be prepared, by their name. */
  readonly unprepared = new Map<string, Error>();
  readonly #client: PipelinedClient;
  readonly #connecting: Promise<unknown>;
  #connected = false;

  constructor(connectionString: string) {
    this.#client = new PipelinedClient({ connectionString, types: foreignJsonTypes() });
    const lose = () => {
      this.lost = true;
    };
    this.#client.on("error", lose).on("end", lose);
    // The server may keep the connection open.
    this.#client.onSpent = lose;
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

  async query<R extends QueryResultRow>(statement: Read): Promise<R[]> {
    this.waiting += 1;
    try {
      // Queries on a client that never connected would wait forever.
      if (!this.#connected) await this.#connecting;
      return (await this.#client.query<R>(statement)).rows;
    } catch (error) {
      this.lost ||= isConnectionLost(error);
      if (!isForgotten(error) && !this.#isPrepared(statement)) this.unprepared.set(statement.name, error as Error);
      throw error;
    } finally {
      this.waiting -= 1;
    }
  }

  get madeAt(): number {
    return this.#client.madeAt;
  }

  #isPrepared({ name }: Read): boolean {
    const { parsedStatements } = this.#client.connection as unknown as { parsedStatements: Record<string, string> };
    return name in parsedStatements;
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
