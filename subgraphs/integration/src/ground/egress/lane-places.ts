import { slotLimits } from "./origin-slots.js";
import { originKey, type TenantOrigin } from "./tenant-origin.js";

/** Milliseconds on the process's monotonic clock. */
type Time = number;

/** One path to an origin: a webhook subscription. */
interface OriginLane extends TenantOrigin {
  readonly subscription: string;
}

interface KnownLane {
  held: number;
  /** Undefined until the first attempt with an answer, or with none in time. */
  answers: boolean | undefined;
  /** When the attempts began that wait for an answer, the oldest first. */
  readonly begun: Set<{ readonly at: Time }>;
  usedAt: Time;
}

/** An attempt that takes longer makes its lane a silent one until the next answer. */
const patienceMs = 2_000;
/** A lane that holds fewer places than these may take its origin's last ones. */
const few = 2;
/** After this time a lane without places is forgotten. */
const memoryMs = 60 * 60_000;

/**
 * Divides an origin's places among its lanes, so that a path that does not answer leaves places to the others. A silent
 * lane (one that has timed out, until it answers again) holds a quarter of the places at most, and all an origin's
 * silent lanes together hold half. A new lane has the same limits, except for its first place, by which it can show
 * that it answers. Where an origin has several lanes, an attempt that waits for long makes its lane a silent one, and
 * the last quarter is for lanes that hold few places.
 */
export class LanePlaces {
  readonly #origins = new Map<string, Map<string, KnownLane>>();
  readonly #places: number;

  constructor(places: number = slotLimits.maxPerOrigin) {
    this.#places = places;
  }

  hasRoomFor(lane: OriginLane, now: Time): boolean {
    const lanes = this.#origins.get(originKey(lane));
    const ownState = lanes?.get(lane.subscription);
    if (!lanes || !ownState) return true;
    const isSilent = (candidate: KnownLane) =>
      candidate.answers === false || (lanes.size > 1 && isLate(candidate, now));
    if (ownState.answers && !isSilent(ownState)) {
      const isFree = sumOf(lanes, () => true) < this.#places - this.#share(4);
      return lanes.size === 1 || ownState.held < few || isFree;
    }
    if (ownState.held === 0 && !isSilent(ownState)) return true;
    const silentPlaces = sumOf(lanes, (other) => !other.answers || isSilent(other));
    return ownState.held < this.#share(4) && silentPlaces < this.#share(2);
  }

  /** Counts places that the lane has taken. */
  take(lane: OriginLane, now: Time): void {
    const state = this.#known(lane);
    state.held += 1;
    state.usedAt = now;
  }

  free(lane: OriginLane, places = 1): void {
    const state = this.#known(lane);
    state.held = Math.max(0, state.held - places);
  }

  /** Notes that an attempt begins. The function that it returns notes its end. */
  begin(lane: OriginLane, now: Time): () => void {
    const { begun } = this.#known(lane);
    const attempt = { at: now };
    begun.add(attempt);
    return () => void begun.delete(attempt);
  }

  /** Notes whether the receiver has answered an attempt in time. */
  ended(lane: OriginLane, hasAnswered: boolean): void {
    this.#known(lane).answers = hasAnswered;
  }

  /** Whether another lane to the origin has answered, so that the origin is there. */
  hasAnsweringOther(lane: OriginLane): boolean {
    const lanes = [...(this.#origins.get(originKey(lane)) ?? [])];
    return lanes.some(([subscription, { answers }]) => answers === true && subscription !== lane.subscription);
  }

  /** Forgets lanes that were not used for some time, so that their number stays limited. */
  tidy(now: Time): void {
    for (const [origin, lanes] of this.#origins) {
      for (const [subscription, { held, begun, usedAt }] of lanes)
        if (held === 0 && begun.size === 0 && usedAt + memoryMs < now) lanes.delete(subscription);
      if (lanes.size === 0) this.#origins.delete(origin);
    }
  }

  #share(parts: number): number {
    return Math.max(1, Math.floor(this.#places / parts));
  }

  #known(lane: OriginLane): KnownLane {
    const key = originKey(lane);
    const lanes = this.#origins.get(key) ?? new Map<string, KnownLane>();
    this.#origins.set(key, lanes);
    const state = lanes.get(lane.subscription) ?? { held: 0, answers: undefined, begun: new Set(), usedAt: 0 };
    lanes.set(lane.subscription, state);
    return state;
  }
}

/** Whether an attempt waits for too long. */
function isLate({ begun }: KnownLane, now: Time): boolean {
  const [oldest] = begun;
  return oldest !== undefined && oldest.at + patienceMs < now;
}

function sumOf(lanes: ReadonlyMap<string, KnownLane>, isCounted: (lane: KnownLane) => boolean): number {
  let sum = 0;
  for (const lane of lanes.values()) if (isCounted(lane)) sum += lane.held;
  return sum;
}
