import type { Logger } from "@factory/runtime/telemetry/logger";
import type { OrderedKeys, WebhookLane } from "../webhook-messages/webhook-lane.js";
import type { MessageClaims } from "./message-claims.js";

/** Partition keys whose next message may have become due. Nothing else makes the first message of a key due, except the sweeper. */
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

  /** Makes the next messages of keys due, except in lanes that wait, and returns the lanes of these messages. */
  async release(waits: (lane: WebhookLane) => boolean): Promise<WebhookLane[]> {
    const released = this.#keys.filter(({ lane }) => !waits(lane));
    if (released.length === 0) return [];
    this.#keys = this.#keys.filter(({ lane }) => waits(lane));
    try {
      await this.#claims.release(released);
    } catch (error) {
      this.#keys.push(...released);
      throw error;
    }
    return released.map(({ lane }) => lane);
  }

  /** For the end of the process: a failure is only logged. */
  async releaseAll(): Promise<void> {
    await this.release(() => false).catch((error: unknown) =>
      this.#logger.warn(
        { err: error },
        "the next messages of partition keys were not released; the sweeper releases them",
      ),
    );
  }
}
