const windowMs = 60_000;
const tokensPerWindow = 600;
/** Bounds memory; the oldest windows are forgotten first. */
const maxWindows = 20_000;

const editionFactors: Readonly<Record<string, number>> = { Free: 0.2, Standard: 1, Enterprise: 10 };

/** Requests of each client at the token endpoint: 600 in 60 seconds, edition Standard. */
export class TokenRate {
  readonly #windows = new Map<string, { requests: number; endsAt: number }>();
  readonly #factor: number;
  readonly #clock: () => number;

  constructor(factor = 1, clock: () => number = Date.now) {
    this.#factor = factor;
    this.#clock = clock;
  }

  /** Counts one request; seconds to wait when it is one too many. */
  spend(key: string, editionCode: string): number | undefined {
    const now = this.#clock();
    const known = this.#windows.get(key);
    const window = known && known.endsAt > now ? known : this.#open(key, now + windowMs);
    window.requests += 1;
    const limit = Math.max(1, Math.floor(tokensPerWindow * this.#factor * (editionFactors[editionCode] ?? 1)));
    return window.requests > limit ? Math.ceil((window.endsAt - now) / 1000) : undefined;
  }

  #open(key: string, endsAt: number) {
    this.#windows.delete(key);
    if (this.#windows.size >= maxWindows) {
      const [oldest] = this.#windows.keys();
      if (oldest !== undefined) this.#windows.delete(oldest);
    }
    const opened = { requests: 0, endsAt };
    this.#windows.set(key, opened);
    return opened;
  }
}
