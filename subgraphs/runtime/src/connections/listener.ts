import pg from "pg";
import { BoundedClient } from "../clients/bounded-client.js";
import { PeriodicLoop } from "../loops/periodic-loop.js";
import type { Logger } from "../telemetry/logger.js";
import { ServerWatch } from "./server-watch.js";
import { watchSession } from "./watch-session.js";

const retryMs = 500;
/** A connection that only listens would not notice that its peer has forgotten it. */
const usualLookMs = 10_000;

/** Receives a notification's payload, or undefined after a reconnect, when notifications may have been lost. */
export type Wake = (payload?: string) => void;

/** Delivers notifications. */
export interface Notifications {
  /** Subscribes to a channel. A notification can be lost, so listeners must also poll from time to time. */
  on(channel: string, wake: Wake): Promise<void>;
}

/** One connection that LISTENs for all the process's channels. After a reconnect every channel is woken once. */
export class Listener implements Notifications {
  readonly #url: string;
  readonly #logger: Logger;
  readonly #lookMs: number;
  readonly #channels = new Map<string, Set<Wake>>();
  #client: BoundedClient | undefined;
  #looks: PeriodicLoop | undefined;
  #listening: Promise<void> = Promise.resolve();
  #closed = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(url: string, logger: Logger, lookMs = usualLookMs) {
    this.#url = url;
    this.#logger = logger;
    this.#lookMs = lookMs;
  }

  async start(): Promise<void> {
    await this.#connect();
    this.#looks = new PeriodicLoop({
      name: `listener ${new URL(this.#url).username}`,
      periodMs: this.#lookMs,
      logger: this.#logger,
      failure: "the connection that listens for notifications does not answer",
    });
    this.#looks.start(async () => this.#client?.ask("select"));
  }

  async #connect(): Promise<void> {
    const client = new BoundedClient({ connectionString: this.#url });
    watchSession(client, ServerWatch.of(this.#url, this.#logger), this.#url);
    client.on("error", (error) =>
      this.#logger.debug({ error: error.message }, "the connection that listens for notifications was lost"),
    );
    client.on("notification", ({ channel, payload }) => this.#wake(channel, payload));
    try {
      await client.connect();
      for (const channel of this.#channels.keys()) await client.ask(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      client.connection.stream.destroy();
      throw error;
    }
    this.#client = client;
    client.once("end", () => this.#reconnect());
    for (const channel of this.#channels.keys()) this.#wake(channel);
  }

  async on(channel: string, wake: Wake): Promise<void> {
    const listeners = this.#channels.get(channel) ?? new Set();
    const isNew = !this.#channels.has(channel);
    this.#channels.set(channel, listeners.add(wake));
    // one after the other, since the client does not pipeline
    if (isNew) this.#listening = this.#listening.then(() => this.#listenTo(channel));
    await this.#listening;
  }

  /** Ends a subscription. The connection still listens to the channel. */
  off(channel: string, wake: Wake): void {
    this.#channels.get(channel)?.delete(wake);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#looks?.stop();
    await this.#client?.end();
  }

  /** A connection that fails here is made again, and then listens to every channel. */
  async #listenTo(channel: string): Promise<void> {
    await this.#client?.ask(`listen ${pg.escapeIdentifier(channel)}`).catch(() => undefined);
  }

  #wake(channel: string, payload?: string): void {
    for (const wake of this.#channels.get(channel) ?? []) wake(payload);
  }

  #reconnect(): void {
    if (this.#closed) return;
    this.#client = undefined;
    this.#retry = setTimeout(() => {
      this.#connect().catch(() => this.#reconnect());
    }, retryMs);
  }
}
