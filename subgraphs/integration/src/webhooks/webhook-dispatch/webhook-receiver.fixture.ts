import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedWebhook {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

export interface ReceiverAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** An HTTP server that stores the requests that it receives. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  /** Returns the response, by default 204. Undefined means no response; the connection stays open. */
  answer: (webhook: ReceivedWebhook, nth: number) => ReceiverAnswer | undefined = () => ({ status: 204 });
  /** The number of requests that wait for a response. */
  waiting = 0;
  /** The highest number of requests that waited at the same time. */
  maxWaiting = 0;
  readonly #server: Server;
  readonly #unanswered = new Set<ServerResponse>();

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        const webhook = {
          method: request.method ?? "",
          path: request.url ?? "",
          headers: request.headers,
          body,
          at: Date.now(),
        };
        this.received.push(webhook);
        const answer = this.answer(webhook, this.at(webhook.path).length);
        if (answer) response.writeHead(answer.status, answer.headers).end(answer.body);
        else this.#wait(response);
      });
    });
  }

  #wait(response: ServerResponse): void {
    this.waiting += 1;
    this.maxWaiting = Math.max(this.maxWaiting, this.waiting);
    this.#unanswered.add(response);
    response.once("close", () => {
      this.waiting -= 1;
      this.#unanswered.delete(response);
    });
  }

  /** Responds to all waiting requests. */
  answerAll(status: number): void {
    for (const response of this.#unanswered) response.writeHead(status).end();
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  at(path: string): ReceivedWebhook[] {
    return this.received.filter((webhook) => webhook.path === path);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
