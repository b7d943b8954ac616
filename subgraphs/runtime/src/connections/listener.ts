import pg from "pg";
import type { Logger } from "../telemetry/logger.js";
import { BoundedClient } from "./bounded-client.js";

const retryMs = 500;

/** Receives the payload of a notification, or undefined after a reconnect, when notifications may have been lost. */
type Wake = (payload?: string) => void;

/** One connection that LISTENs for all channels of a process. After a reconnect every channel is woken once. */
export class Listener {
  readonly #url: string;
  readonly #logger: Logger;
  readonly #channels = new Map<string, Set<Wake>>();
  #client: pg.Client | undefined;
  #closed = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(url: string, logger: Logger) {
    this.#url = url;
    this.#logger = logger;
  }

  async start(): Promise<void> {
    const client = new BoundedClient({ connectionString: this.#url });
    client.on("error", (error) =>
      this.#logger.debug({ error: error.message }, "the connection that listens for notifications was lost"),
    );
    client.on("notification", ({ channel, payload }) => this.#wake(channel, payload));
    try {
      await client.connect();
      for (const channel of this.#channels.keys()) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    this.#client = client;
    client.once("end", () => this.#reconnect());
    for (const channel of this.#channels.keys()) this.#wake(channel);
  }

  /** Subscribes to a channel. A notification can be lost, so listeners must also poll from time to time. */
  async on(channel: string, wake: Wake): Promise<void> {
    const listeners = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, listeners.add(wake));
    if (listeners.size === 1) await this.#client?.query(`listen ${pg.escapeIdentifier(channel)}`);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#client?.end();
  }

  #wake(channel: string, payload?: string): void {
    for (const wake of this.#channels.get(channel) ?? []) wake(payload);
  }

  #reconnect(): void {
    if (this.#closed) return;
    this.#client = undefined;
    this.#retry = setTimeout(() => {
      this.start().catch(() => this.#reconnect());
    }, retryMs);
  }
}
