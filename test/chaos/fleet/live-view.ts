import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import type { Caller } from "../caller.js";

const query = `subscription ($after: String) { events(types: ["TemplateRegistered"], after: $after) { cursor data } }`;
const pauseMs = 200;

interface Seen {
  readonly events: { readonly cursor: string; readonly data: { readonly templateId: string } };
}

/** A subscriber that follows its tenant's events from the first one on. It goes on after its last cursor. */
export class LiveView {
  /** How often each template was seen, by its ID. */
  readonly seen = new Map<string, number>();
  /** The number of sockets that ended. */
  ends = 0;
  readonly #url: string;
  readonly #caller: Caller;
  #cursor = "0";
  #stopped = false;
  #end: () => void = () => undefined;
  readonly #following: Promise<void>;

  constructor(url: string, caller: Caller) {
    this.#url = `${url.replace("http", "ws")}/graphql`;
    this.#caller = caller;
    this.#following = this.#follow();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#end();
    await this.#following;
  }

  async #follow(): Promise<void> {
    while (!this.#stopped) {
      await this.#once().catch(() => undefined);
      this.ends += 1;
      if (!this.#stopped) await sleep(pauseMs);
    }
  }

  async #once(): Promise<void> {
    const token = await this.#caller.token();
    const connectionParams = { authorization: `Bearer ${token}` };
    const client = createClient({ url: this.#url, webSocketImpl: WebSocket, connectionParams, retryAttempts: 0 });
    this.#end = () => client.terminate();
    try {
      for await (const { data, errors } of client.iterate<Seen>({ query, variables: { after: this.#cursor } })) {
        if (errors || !data) throw new Error(errors?.[0]?.message ?? "no data");
        const { cursor, data: event } = data.events;
        this.#cursor = cursor;
        this.seen.set(event.templateId, (this.seen.get(event.templateId) ?? 0) + 1);
      }
    } finally {
      await client.dispose();
    }
  }
}
