import { laneKey, type WebhookLane } from "../webhook-messages/webhook-lane.js";

/** Milliseconds on the process's monotonic clock. */
type Time = number;

/** An origin's lanes by subscription, in the order in which they take turns. */
type Origin = Map<string, WebhookLane>;

interface Tenant {
  /** In the order in which they take turns. */
  readonly origins: Map<string, Origin>;
  lanes: number;
}

/** Decides whether a lane's next message may be sent. */
export interface Gate {
  hasRoomFor(tenant: string): boolean;
  /** The end of the pause for the lane's origin. A time in the past means no pause. */
  pausedUntil(lane: WebhookLane): Time;
  /** The time until which the lane itself waits. A time in the past means that it does not wait. */
  waitsUntil(lane: WebhookLane): Time;
  /** Takes a slot for one message in the lane. */
  enter(lane: WebhookLane): Entry;
}

/** Whether a lane got a slot: `full` where its origin has none for any lane, `later` where only this lane gets none. */
export type Entry = "entered" | "full" | "later";

export interface Share {
  readonly lane: WebhookLane;
  /** The number of slots that were taken for the lane. */
  readonly room: number;
}

// The next look at the table finds again all that is above these limits.
const lanesPerTenant = 256;
const lanesLater = 10_000;
const timesPerLane = 32;
const apartMs = 10;

/** A lane with the times when its messages become due, the earliest first. */
interface LaterLane {
  readonly lane: WebhookLane;
  times: Time[];
}

/** The lanes that have due messages as far as this process knows, and those that will have some soon. */
export class DueLanes {
  /** In the order in which they take turns. */
  readonly #tenants = new Map<string, Tenant>();
  readonly #later = new Map<string, LaterLane>();
  #earliest: Time = Number.POSITIVE_INFINITY;

  /** The time when the next waiting lane becomes due. */
  get earliest(): Time {
    return this.#earliest;
  }

  get any(): boolean {
    return this.#tenants.size > 0;
  }

  add(lane: WebhookLane): void {
    const tenant = this.#tenants.get(lane.tenant) ?? { origins: new Map<string, Origin>(), lanes: 0 };
    const origin = tenant.origins.get(lane.origin) ?? new Map<string, WebhookLane>();
    if (origin.has(lane.subscription) || tenant.lanes >= lanesPerTenant) return;
    origin.set(lane.subscription, lane);
    tenant.origins.set(lane.origin, origin);
    tenant.lanes += 1;
    this.#tenants.set(lane.tenant, tenant);
  }

  /** Adds the lane at this time. The lane's earlier and later times stay, since they belong to other messages. */
  addAt(lane: WebhookLane, at: Time): void {
    const key = laneKey(lane);
    const waitingLane = this.#later.get(key);
    if (waitingLane) insertTime(waitingLane.times, at);
    else if (this.#later.size < lanesLater) this.#later.set(key, { lane, times: [at] });
    else return;
    this.#earliest = Math.min(this.#earliest, at);
  }

  /** Moves the lanes that have become due to those with due messages. */
  ripen(now: Time): void {
    if (now < this.#earliest) return;
    this.#earliest = Number.POSITIVE_INFINITY;
    for (const [key, later] of this.#later) {
      const { lane, times } = later;
      const [first = now] = times;
      if (first <= now) {
        this.add(lane);
        later.times = times.filter((at) => at > now);
      }
      const [next] = later.times;
      if (next === undefined) this.#later.delete(key);
      else this.#earliest = Math.min(this.#earliest, next);
    }
  }

  /**
   * Gives slots in turns: first by tenant, then by origin, then by lane. Lanes that got slots are removed. The caller
   * adds a lane again, behind the others, when more messages in it are due.
   */
  share(gate: Gate, now: Time): Share[] {
    const rooms = new Map<WebhookLane, number>();
    let tenants = [...this.#tenants];
    while (tenants.length > 0)
      tenants = tenants.filter(([tenantId, tenant]) => {
        const lane = gate.hasRoomFor(tenantId) ? this.#next(tenant, gate, now) : undefined;
        if (lane) rooms.set(lane, (rooms.get(lane) ?? 0) + 1);
        return lane !== undefined;
      });
    for (const lane of rooms.keys()) this.#remove(lane);
    for (const { tenant } of rooms.keys()) this.#toTheEnd(tenant);
    return [...rooms].map(([lane, room]) => ({ lane, room }));
  }

  #next(tenant: Tenant, gate: Gate, now: Time): WebhookLane | undefined {
    for (const [name, origin] of tenant.origins) {
      const [any] = origin.values();
      const pausedUntil = any ? gate.pausedUntil(any) : 0;
      const lane = pausedUntil > now ? undefined : this.#entered(origin, gate, now);
      if (pausedUntil > now)
        for (const pausedLane of [...origin.values()]) {
          this.#remove(pausedLane);
          this.addAt(pausedLane, Math.max(pausedUntil, gate.waitsUntil(pausedLane)));
        }
      if (!lane) continue;
      origin.delete(lane.subscription);
      origin.set(lane.subscription, lane);
      tenant.origins.delete(name);
      tenant.origins.set(name, origin);
      return lane;
    }
    return undefined;
  }

  /** The origin's first lane that gets a slot. Lanes that wait come back when they may be sent. */
  #entered(origin: Origin, gate: Gate, now: Time): WebhookLane | undefined {
    for (const lane of origin.values()) {
      const until = gate.waitsUntil(lane);
      if (until > now) {
        this.#remove(lane);
        this.addAt(lane, until);
        continue;
      }
      const entry = gate.enter(lane);
      if (entry === "entered") return lane;
      if (entry === "full") return undefined;
    }
    return undefined;
  }

  #toTheEnd(tenantId: string): void {
    const tenant = this.#tenants.get(tenantId);
    if (tenant && this.#tenants.delete(tenantId)) this.#tenants.set(tenantId, tenant);
  }

  #remove({ tenant: tenantId, origin: name, subscription }: WebhookLane): void {
    const tenant = this.#tenants.get(tenantId);
    const origin = tenant?.origins.get(name);
    if (!tenant || !origin?.delete(subscription)) return;
    tenant.lanes -= 1;
    if (origin.size === 0) tenant.origins.delete(name);
    if (tenant.lanes === 0) this.#tenants.delete(tenantId);
  }
}

/** Keeps the times in their order and at least 10 ms apart. The later time serves two that are closer. */
function insertTime(times: Time[], at: Time): void {
  const place = times.findLastIndex((time) => time < at) + 1;
  const next = times[place];
  if (next !== undefined && next < at + apartMs) return;
  const earlier = times[place - 1];
  const movedTime = earlier === undefined ? at : Math.max(at, earlier + apartMs);
  if (next !== undefined && next <= movedTime) return;
  times.splice(place, 0, movedTime);
  if (times.length > timesPerLane) times.pop();
}
