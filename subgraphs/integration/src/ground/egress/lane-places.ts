import { slotLimits } from "./origin-slots.js";
import { originKey, type TenantOrigin } from "./tenant-origin.js";

/** Milliseconds of the monotonic clock of the process. */
type Time = number;

/** One path of an origin: a webhook subscription. */
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
/** A lane that holds fewer places than these may take the last ones of its origin. */
const few = 2;
/** After this time a lane without places is forgotten. */
const memoryMs = 60 * 60_000;

/**
 * Divides the places of an origin among its lanes, so that a path that does not answer leaves places to the others. A
 * silent lane (one that has timed out, until it answers again) holds a quarter of the places at most, and all silent lanes
 * of an origin together hold half of them. A new lane has the same limits, except for its first place, by which it can
 * show that it answers. Where an origin has several lanes, an attempt that waits for long makes its lane a silent one, and
 * the last quarter of the places is for lanes that hold few.
 */
export class LanePlaces {
  readonly #origins = new Map<string, Map<string, KnownLane>>();
  readonly #places: number;

  constructor(places: number = slotLimits.maxPerOrigin) {
    this.#places = places;
  }

  hasRoomFor(lane: OriginLane, now: Time): boolean {
    const lanes = this.#origins.get(originKey(lane));
    const known = lanes?.get(lane.subscription);
    if (!lanes || !known) return true;
    const isSilent = (one: KnownLane) => one.answers === false || (lanes.size > 1 && isLate(one, now));
    if (known.answers && !isSilent(known)) {
      const isFree = sumOf(lanes, () => true) < this.#places - this.#share(4);
      return lanes.size === 1 || known.held < few || isFree;
    }
    if (known.held === 0 && !isSilent(known)) return true;
    const held = sumOf(lanes, (other) => !other.answers || isSilent(other));
    return known.held < this.#share(4) && held < this.#share(2);
  }

  /** Counts places that the lane has taken. */
  take(lane: OriginLane, now: Time): void {
    const known = this.#known(lane);
    known.held += 1;
    known.usedAt = now;
  }

  free(lane: OriginLane, places = 1): void {
    const known = this.#known(lane);
    known.held = Math.max(0, known.held - places);
  }

  /** Notes that an attempt begins. The function that it returns notes its end. */
  begin(lane: OriginLane, now: Time): () => void {
    const { begun } = this.#known(lane);
    const attempt = { at: now };
    begun.add(attempt);
    return () => void begun.delete(attempt);
  }

  /** Notes whether the receiver has answered an attempt in time. */
  ended(lane: OriginLane, answered: boolean): void {
    this.#known(lane).answers = answered;
  }

  /** Whether another lane of the origin has answered, so that the origin is there. */
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
    const known = lanes.get(lane.subscription) ?? { held: 0, answers: undefined, begun: new Set(), usedAt: 0 };
    lanes.set(lane.subscription, known);
    return known;
  }
}

/** Whether an attempt waits for too long. */
function isLate({ begun }: KnownLane, now: Time): boolean {
  const [oldest] = begun;
  return oldest !== undefined && oldest.at + patienceMs < now;
}

function sumOf(lanes: ReadonlyMap<string, KnownLane>, which: (lane: KnownLane) => boolean): number {
  let sum = 0;
  for (const lane of lanes.values()) if (which(lane)) sum += lane.held;
  return sum;
}
