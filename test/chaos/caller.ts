import { setTimeout as sleep } from "node:timers/promises";
import { accessToken, type ClientCredentials } from "@factory/platform/client/platform-api";

const answerTimeoutMs = 60_000;
const pauseMs = 250;
const tokenLifeMs = 600_000;

export interface Answer<T> {
  /** The HTTP status, or 0 if there was no answer. */
  readonly status: number;
  readonly ms: number;
  readonly body: T;
}

/** Thrown when an answer is final, so that repeating the request would not help. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** One tenant's client that repeats a request with its Idempotency-Key until it is acknowledged, as clients should. */
export class Caller {
  /** The number of final refusals by status and code. A client does not repeat these requests. */
  readonly refused = new Map<string, number>();
  readonly #url: string;
  readonly #client: ClientCredentials;
  #token: { readonly text: Promise<string>; readonly until: number } | undefined;

  constructor(url: string, client: ClientCredentials) {
    this.#url = url;
    this.#client = client;
  }

  /** Throws Refused for a final answer. */
  async acknowledged<T>(path: string, body: unknown, key: string): Promise<T> {
    for (;;) {
      const answer = await this.ask<T & { code?: string }>("POST", path, { body, key });
      if (answer.status >= 200 && answer.status < 300) return answer.body;
      if (!mayComeAgain(answer.status, answer.body?.code)) {
        this.#refuse(`${answer.status} ${answer.body?.code ?? ""}`);
        throw new Refused(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
      await sleep(pauseMs);
    }
  }

  async ask<T>(method: string, path: string, options: { body?: unknown; key?: string } = {}): Promise<Answer<T>> {
    const startedAt = performance.now();
    const answer = (status: number, body: T) => ({ status, ms: performance.now() - startedAt, body });
    try {
      const response = await fetch(this.#url + path, {
        method,
        headers: {
          authorization: `Bearer ${await this.token()}`,
          ...(options.key === undefined ? {} : { "idempotency-key": options.key }),
          ...(options.body === undefined ? {} : { "content-type": "application/json" }),
        },
        signal: AbortSignal.timeout(answerTimeoutMs),
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      });
      const text = await response.text();
      return answer(response.status, (text === "" ? null : JSON.parse(text)) as T);
    } catch {
      return answer(0, null as T);
    }
  }

  /** Requests a token, and repeats the request until the platform issues one. */
  token(): Promise<string> {
    if (!this.#token || this.#token.until < Date.now()) {
      const text = accessToken({ publicUrl: this.#url, internalUrl: this.#url }, this.#client);
      this.#token = { text, until: Date.now() + tokenLifeMs };
      text.catch(() => {
        this.#token = undefined;
      });
    }
    return this.#token.text;
  }

  #refuse(answer: string): void {
    this.refused.set(answer, (this.refused.get(answer) ?? 0) + 1);
  }
}

const waits = new Set(["IDEMPOTENCY_IN_PROGRESS"]);

const mayComeAgain = (status: number, code: string | undefined) =>
  status === 0 || status === 429 || status === 503 || status === 504 || (code !== undefined && waits.has(code));
