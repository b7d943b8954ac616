/** Takes one body piece. */
export type TakeBody = (piece: Buffer) => Promise<void> | void;

/** Passes pieces on until the signal: a taker that does not come back must not keep the request. */
export class BodyTaker {
  readonly #onBody: TakeBody;
  readonly #signal: AbortSignal;
  #stop: (reason: unknown) => void = () => undefined;
  readonly #abort = () => this.#stop(this.#signal.reason);
  failure: { readonly error: unknown } | undefined;

  constructor(onBody: TakeBody, signal: AbortSignal) {
    this.#onBody = onBody;
    this.#signal = signal;
    signal.addEventListener("abort", this.#abort, { once: true });
  }

  async take(piece: Buffer): Promise<void> {
    try {
      this.#signal.throwIfAborted();
      const takePromise = this.#onBody(piece);
      if (takePromise === undefined) return;
      await new Promise<void>((resolve, reject) => {
        this.#stop = reject;
        takePromise.then(resolve, reject);
      });
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }

  end(): void {
    this.#signal.removeEventListener("abort", this.#abort);
  }
}

/** Reads a body up to a limit, into the taker if there is one. */
export async function readAtMost(
  stream: AsyncIterable<Buffer>,
  limit: number,
  taker?: BodyTaker,
): Promise<{ body: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop early closes the connection.
  for await (const chunk of stream) {
    const piece = chunk.subarray(0, limit - size);
    if (taker) await taker.take(piece);
    else chunks.push(piece);
    size += chunk.length;
    if (size > limit) break;
  }
  return { body: Buffer.concat(chunks), truncated: size > limit };
}
