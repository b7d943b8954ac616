import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

interface SinkEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
}

/** A webhook receiver that records every event by subject and type. It runs as long as the chaos run. */
export class WebhookReceiver {
  readonly #server: Server;
  readonly #ids = new Map<string, Set<string>>();
  /** Times from an event's occurrence to its first arrival, in milliseconds. */
  readonly latenciesMs: number[] = [];
  #deliveries = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        this.#take(JSON.parse(Buffer.concat(chunks).toString("utf8")) as SinkEvent);
        response.writeHead(204).end();
      });
    });
  }

  static async open(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    receiver.#server.unref();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hooks`;
  }

  /** The number of repeated deliveries. Webhooks are delivered at least once. */
  get repeated(): number {
    return this.#deliveries - this.latenciesMs.length;
  }

  /** The number of different events with this type about this subject. */
  count(type: string, subject: string): number {
    return this.#ids.get(`${type} ${subject}`)?.size ?? 0;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #take({ id, type, subject, time }: SinkEvent): void {
    this.#deliveries += 1;
    const key = `${type} ${subject}`;
    const ids = this.#ids.get(key) ?? new Set();
    this.#ids.set(key, ids);
    if (!ids.has(id)) this.latenciesMs.push(Date.now() - Date.parse(time));
    ids.add(id);
  }
}
