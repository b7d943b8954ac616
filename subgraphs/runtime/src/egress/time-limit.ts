/**
 * One request's signal, which its caller or the time ends. The `AbortSignal.timeout` timer would run on after the
 * request, and keep a signal and an error for each request in its last seconds.
 */
export class TimeLimit {
  readonly #ending = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #abort = () => this.#ending.abort(this.#caller?.reason);
  isOver = false;

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    this.#caller = caller;
    if (caller?.aborted) this.#abort();
    caller?.addEventListener("abort", this.#abort, { once: true });
    this.#timer = setTimeout(() => {
      this.isOver = true;
      this.#ending.abort();
    }, timeoutMs).unref();
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#abort);
  }
}
