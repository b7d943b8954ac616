const burst = 500;
const perSecond = 20;

/** Limits one socket's messages that no other limit counts: pings, completions and refused operations. */
export class MessageRateLimit {
  #left = burst;
  #countedAt = performance.now();

  take(): boolean {
    const now = performance.now();
    this.#left = Math.min(burst, this.#left + ((now - this.#countedAt) / 1000) * perSecond);
    this.#countedAt = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  giveBack(): void {
    this.#left += 1;
  }
}
