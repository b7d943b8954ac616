import type { ServerResponse } from "node:http";

/** Aborted once the connection of a request has gone before its answer. A look costs nothing, where a listener would. */
export class HangUp {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get aborted(): boolean {
    return this.#response.destroyed && !this.#response.writableEnded;
  }
}
