import { Agent, request } from "node:http";
import type { Acknowledged, Customer } from "../load.js";

/** A request that did not succeed, with its times (`performance.now`). */
export interface FailedRequest {
  readonly beganAt: number;
  readonly endedAt: number;
  /** The error's status or code. */
  readonly reason: string;
}

interface Sending {
  /** False: a separate connection. */
  readonly agent: Agent | false;
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** The Idempotency-Key. */
  readonly key?: string;
}

const keptConnectionClosed = "ECONNRESET of a kept connection";
const answerTimeoutMs = 25_000;
/** One of so many requests is a write. */
const writeEvery = 10;

/**
 * A client that sends requests at a steady rate over kept connections. It repeats a request once, on a new connection, when
 * a kept one was closed before any answer (RFC 9112 section 9.3.1), and no other request.
 */
export class Traffic {
  readonly failed: FailedRequest[] = [];
  readonly written: Acknowledged[] = [];
  /** Requests that were repeated. */
  repeated = 0;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #url: string;
  readonly #customers: readonly Customer[];
  readonly #open = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #sent = 0;
  #answered = 0;

  constructor(url: string, customers: readonly Customer[]) {
    this.#url = url;
    this.#customers = customers;
  }

  get answered(): number {
    return this.#answered;
  }

  start(perSecond: number): void {
    const startedAt = performance.now();
    this.#timer = setInterval(() => {
      // a late timer sends what it owes, so that the rate holds
      const dueCount = Math.floor(((performance.now() - startedAt) / 1000) * perSecond);
      while (this.#sent < dueCount) {
        this.#sent += 1;
        const sending = this.#one(this.#sent).finally(() => this.#open.delete(sending));
        this.#open.add(sending);
      }
    }, 10);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
    this.#agent.destroy();
  }

  async #one(number: number): Promise<void> {
    const customer = this.#customers[number % this.#customers.length];
    if (!customer) return;
    const beganAt = performance.now();
    const name = `traffic-${number}`;
    const token = await customer.caller.token();
    const send = (agent: Agent | false) =>
      number % writeEvery === 0
        ? this.#send(token, { agent, method: "POST", path: "/v1/templates", body: JSON.stringify({ name }), key: name })
        : this.#send(token, { agent, method: "GET", path: `/v1/templates/${customer.templateId}` });
    let answer = await send(this.#agent);
    if (answer.reason === keptConnectionClosed) {
      this.repeated += 1;
      answer = await send(false);
    }
    if (answer.status < 200 || answer.status >= 300)
      this.failed.push({ beganAt, endedAt: performance.now(), reason: answer.reason });
    else {
      this.#answered += 1;
      if (number % writeEvery === 0)
        this.written.push({ customer, name, id: (JSON.parse(answer.text) as { templateId: string }).templateId });
    }
  }

  #send(token: string, { agent, method, path, body, key }: Sending) {
    return new Promise<{ status: number; reason: string; text: string }>((resolve) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
        ...(key === undefined ? {} : { "idempotency-key": key }),
      };
      const fail = (error: NodeJS.ErrnoException) =>
        resolve({
          status: 0,
          reason: `${error.code ?? error.message} of a ${call.reusedSocket ? "kept" : "new"} connection`,
          text: "",
        });
      const options = { method, headers, agent, timeout: answerTimeoutMs };
      const call = request(this.#url + path, options, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, reason: `${response.statusCode} ${detailOf(text)}`, text }),
        );
        response.once("error", fail);
      });
      call.once("timeout", () => call.destroy(new Error("no answer")));
      call.once("error", fail);
      call.end(body);
    });
  }
}

/** A problem's sentence (RFC 9457). */
function detailOf(text: string): string {
  try {
    return (JSON.parse(text) as { detail?: string }).detail ?? "";
  } catch {
    return "";
  }
}
