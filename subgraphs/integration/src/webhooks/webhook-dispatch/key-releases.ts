import type { Logger } from "@factory/runtime/telemetry/logger";
import type { OrderedKeys, WebhookLane } from "../webhook-messages/webhook-lane.js";
import type { MessageClaims } from "./message-claims.js";

/**
 * Partition keys whose next message may have become due. Apart from the sweeper, nothing else makes a key's first
 * message due.
 */
export class KeyReleases {
  readonly #claims: MessageClaims;
  readonly #logger: Logger;
  #keys: OrderedKeys[] = [];

  constructor(claims: MessageClaims, logger: Logger) {
    this.#claims = claims;
    this.#logger = logger;
  }

  get any(): boolean {
    return this.#keys.length > 0;
  }

  add(...keys: OrderedKeys[]): void {
    this.#keys.push(...keys);
  }

  /** Makes the keys' next messages due, except in lanes that wait, and returns the lanes with these messages. */
  async release(waits: (lane: WebhookLane) => boolean): Promise<WebhookLane[]> {
    const dueKeys = this.#keys.filter(({ lane }) => !waits(lane));
    if (dueKeys.length === 0) return [];
    this.#keys = this.#keys.filter(({ lane }) => waits(lane));
    try {
      await this.#claims.release(dueKeys);
    } catch (error) {
      this.#keys.push(...dueKeys);
      throw error;
    }
    return dueKeys.map(({ lane }) => lane);
  }

  /** For the process's end: a failure is only logged. */
  async releaseAll(): Promise<void> {
    await this.release(() => false).catch((error: unknown) =>
      this.#logger.warn(
        { err: error },
        "the next messages of partition keys were not released; the sweeper releases them",
      ),
    );
  }
}
