import { atMost } from "@factory/runtime/caches/entry-limit";
import { LRUCache } from "lru-cache";
import { laneKey, type WebhookLane } from "../webhook-messages/webhook-lane.js";

/** Milliseconds on the process's monotonic clock. */
type Time = number;

const tickMs = 8;
const rememberedLanes = 10_000;

/**
 * The lanes that have more due messages than slots. They are claimed together at common times, and not whenever a slot
 * becomes free, so that one statement serves many messages. All other lanes are claimed at once.
 */
export class BacklogTicks {
  readonly #waiting = new LRUCache<string, Time>(atMost(rememberedLanes));

  /** Lets the lane wait for the next common time, which is returned. */
  postpone(lane: WebhookLane, now: Time): Time {
    const next = (Math.floor(now / tickMs) + 1) * tickMs;
    this.#waiting.set(laneKey(lane), next);
    return next;
  }

  /** The end of the lane's wait. A time in the past means no wait. */
  waitsUntil(lane: WebhookLane): Time {
    return this.#waiting.get(laneKey(lane)) ?? 0;
  }
}
