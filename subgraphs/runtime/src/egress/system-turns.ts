const maxWaiting = 32;

interface Waiter {
  readonly begin: () => void;
}

/**
 * Runs work for the thread pool one after the other. At most 32 callers wait; further ones are refused at once, and a
 * caller that has given up leaves.
 */
export class SystemTurns {
  readonly #waiting = new Set<Waiter>();
  #busy = false;

  /** Throws EAI_AGAIN when too many wait, ETIMEOUT when the signal ends the wait, and what the work throws. */
  async take<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#busy) await this.#wait(signal);
    this.#busy = true;
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      // The next one takes the place over, so that nobody who comes now gets before it.
      if (next) next.begin();
      else this.#busy = false;
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw failure("ETIMEOUT", "the caller does not wait for the lookup any more");
    if (this.#waiting.size >= maxWaiting) throw failure("EAI_AGAIN", "too many lookups wait for the system");
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiter);
        signal?.removeEventListener("abort", abort);
      };
      const waiter: Waiter = {
        begin() {
          leave();
          resolve();
        },
      };
      const abort = () => {
        leave();
        reject(failure("ETIMEOUT", "the lookup did not get its turn in time"));
      };
      this.#waiting.add(waiter);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }
}

const failure = (code: string, message: string) => Object.assign(new Error(message), { code });
