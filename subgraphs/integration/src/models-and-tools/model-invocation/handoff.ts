/** Passes values one by one to a reader. A value's writer goes on when the reader wants the next one. */
export class Handoff<T> implements AsyncIterable<T> {
  readonly #waiting: { readonly value: T; readonly taken: () => void }[] = [];
  #wake: () => void = () => undefined;
  #ended = false;

  /** Resolves when the reader has taken the value. After the end values are dropped. */
  put(value: T): Promise<void> {
    if (this.#ended) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ value, taken: resolve });
      this.#wake();
    });
  }

  /** Ends the reading after the values that wait. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    let tellTaken = () => {};
    try {
      for (;;) {
        tellTaken();
        const next = this.#waiting.shift();
        if (next) {
          tellTaken = next.taken;
          yield next.value;
        } else if (this.#ended) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      this.#ended = true;
      tellTaken();
      for (const waiting of this.#waiting.splice(0)) waiting.taken();
    }
  }
}
