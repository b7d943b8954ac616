import { atMost } from "@factory/runtime/caches/entry-limit";
import { LRUCache } from "lru-cache";
import { laneKey, type WebhookLane } from "../webhook-messages/webhook-lane.js";

/** Milliseconds on the process's monotonic clock. */
type Time = number;

/** A subscription's rate. */
export interface Pace {
  /** The time between two messages in milliseconds. */
  readonly intervalMs: number;
  /** How many messages may be sent at once. */
  readonly burst: number;
}

interface KnownPace {
  readonly burst: number;
  freeAt: Time;
  reserved: number;
}

const rememberedLanes = 10_000;
/** How long a lane waits whose messages are asking for turns. */
const recheckMs = 20;

/** The pace of messages that are sent at most `perMinute` times a minute, with the messages for 0.1 s at once. */
const paceOf = (perMinute: number): Pace => ({
  intervalMs: 60_000 / perMinute,
  burst: Math.max(1, Math.floor(perMinute / 600)),
});

/** The pace within both the subscription's rate and the rate that its receiver has allowed. */
export function paceWithin(perSecond: number | null, allowedPerMinute: number | null): Pace | undefined {
  if (perSecond === null && allowedPerMinute === null) return undefined;
  return paceOf(Math.min((perSecond ?? Number.POSITIVE_INFINITY) * 60, allowedPerMinute ?? Number.POSITIVE_INFINITY));
}

/** How often messages look whether their receiver has agreed by now. */
export const heldPace: Pace = { intervalMs: 2_000, burst: 1 };

/**
 * The lanes' paces as this process knows them, so that it claims no more messages than it may send. The table of paces
 * decides how many it may send.
 */
export class LanePaces {
  readonly #paces = new LRUCache<string, KnownPace>(atMost(rememberedLanes));

  /** The end of the lane's wait. A time in the past means no wait. */
  waitsUntil(lane: WebhookLane, now: Time): Time {
    const pace = this.#paces.get(laneKey(lane));
    if (!pace) return 0;
    return pace.reserved >= pace.burst ? now + recheckMs : pace.freeAt;
  }

  reserve(lane: WebhookLane): void {
    const pace = this.#paces.get(laneKey(lane));
    if (pace) pace.reserved += 1;
  }

  /** The reserved messages were not there, or not claimed. */
  release(lane: WebhookLane): void {
    const pace = this.#paces.get(laneKey(lane));
    if (pace) pace.reserved = 0;
  }

  /** Notes when the next turn comes; undefined for a subscription without a limit. */
  learn(lane: WebhookLane, pace: Pace | undefined, freeAt: Time): void {
    const key = laneKey(lane);
    if (pace) this.#paces.set(key, { burst: pace.burst, freeAt, reserved: 0 });
    else this.#paces.delete(key);
  }
}
