import type { ServerResponse } from "node:http";

/**
 * Is aborted once a request's connection has closed before the answer. Reading it is cheaper than a listener per
 * request.
 */
export class HangUp {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get aborted(): boolean {
    return this.#response.destroyed && !this.#response.writableEnded;
  }
}
