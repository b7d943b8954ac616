/** The time in which no mail is given to a server that did not take one. */
export class ServerPause {
  readonly #lengthMs: number;
  #failure: { readonly reason: string; readonly until: number } | undefined;

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
  }

  /** The reason of the failure for which mails wait; undefined when the server may be tried. */
  get reason(): string | undefined {
    return this.#failure && Date.now() < this.#failure.until ? this.#failure.reason : undefined;
  }

  begin(reason: string): void {
    this.#failure = { reason, until: Date.now() + this.#lengthMs };
  }
}
