/** Milliseconds on the process's monotonic clock. */
type Time = number;

const maxWave = 2000;
const minWave = 16;
/** A shorter time tells nothing about the speed. */
const leastSeconds = 0.05;
/** A new message waits behind as many replayed ones as the receiver takes in this time. */
const horizonSeconds = 2;

/**
 * Decides how many webhooks may wait for a receiver during a replay: about as many as it takes in two seconds, so that
 * new messages are not held up. It learns the speed from what is gone at each look.
 */
export class ReceiverFlow {
  /** Webhooks a second. */
  #speed = minWave / horizonSeconds;
  #waiting = 0;
  #lookedAt: Time;
  #movedAt: Time;

  constructor(now: Time) {
    this.#lookedAt = now;
    this.#movedAt = now;
  }

  /**
   * How many webhooks may be made due when so many wait. `limit` is the subscription's rate a second, if it has one.
   */
  room(waiting: number, limit: number | null, now: Time): number {
    const seconds = (now - this.#lookedAt) / 1000;
    if (seconds >= leastSeconds) this.#learn(waiting, seconds, now);
    const learnedWave = Math.round(this.#speed * horizonSeconds);
    const wave = Math.max(minWave, Math.min(maxWave, learnedWave));
    const cap = limit === null ? wave : Math.max(1, Math.round(limit * horizonSeconds));
    return Math.max(0, Math.min(wave, cap) - waiting);
  }

  #learn(waiting: number, seconds: number, now: Time): void {
    const sentCount = Math.max(0, this.#waiting - waiting);
    if (sentCount > 0 || waiting === 0) this.#movedAt = now;
    if (this.#waiting > 0) {
      const speed = sentCount / seconds;
      // A lane that ran dry may be faster than what it was given.
      this.#speed = waiting === 0 ? Math.max(speed, Math.min(this.#speed * 2, maxWave)) : (speed + this.#speed) / 2;
    }
    this.#waiting = waiting;
    this.#lookedAt = now;
  }

  released(count: number): void {
    this.#waiting += count;
  }

  /** How long nothing has gone, in milliseconds. */
  stuckFor(now: Time): number {
    return now - this.#movedAt;
  }
}
