import { laneKey, type WebhookLane } from "../webhook-messages/webhook-lane.js";

/** In milliseconds of the process's monotonic clock. */
type Time = number;

/** Lanes by subscription, in the order of their turns. */
type Origin = Map<string, WebhookLane>;

interface Tenant {
  /** In the order of their turns. */
  readonly origins: Map<string, Origin>;
  lanes: number;
}

/** What decides whether a lane's next message may be sent. */
export interface Gate {
  openFor(tenant: string): boolean;
  /** Until when the origin of the lane is left alone; in the past when it is not. */
  pausedUntil(lane: WebhookLane): Time;
  /** Takes a place for one message of the lane, if there is one. */
  enter(lane: WebhookLane): boolean;
}

export interface Share {
  readonly lane: WebhookLane;
  /** Places that were taken for it. */
  readonly room: number;
}

// what does not fit is found again by the next look at the table
const lanesPerTenant = 256;
const lanesLater = 10_000;

/** The lanes that have due messages, as far as is known, and those that will soon have some. */
export class DueLanes {
  /** In the order of their turns. */
  readonly #tenants = new Map<string, Tenant>();
  readonly #later = new Map<string, { lane: WebhookLane; at: Time }>();
  #earliest: Time = Number.POSITIVE_INFINITY;

  /** When the next of the lanes that wait for their time is due. */
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

  addAt(lane: WebhookLane, at: Time): void {
    const key = laneKey(lane);
    const known = this.#later.get(key);
    if (known ? known.at <= at : this.#later.size >= lanesLater) return;
    this.#later.set(key, { lane, at });
    this.#earliest = Math.min(this.#earliest, at);
  }

  /** Moves what has become due meanwhile. */
  ripen(now: Time): void {
    if (now < this.#earliest) return;
    this.#earliest = Number.POSITIVE_INFINITY;
    for (const [key, { lane, at }] of this.#later) {
      if (at > now) this.#earliest = Math.min(this.#earliest, at);
      else {
        this.#later.delete(key);
        this.add(lane);
      }
    }
  }

  /**
   * Gives places in turns: tenant by tenant, within a tenant origin by origin, within an origin lane by lane. The lanes
   * that got some are taken out; who finds that more of their messages are due adds them again, behind the others.
   */
  share(gate: Gate, now: Time): Share[] {
    const rooms = new Map<WebhookLane, number>();
    let tenants = [...this.#tenants];
    while (tenants.length > 0)
      tenants = tenants.filter(([tenantId, tenant]) => {
        const lane = gate.openFor(tenantId) ? this.#next(tenant, gate, now) : undefined;
        if (lane) rooms.set(lane, (rooms.get(lane) ?? 0) + 1);
        return lane !== undefined;
      });
    for (const lane of rooms.keys()) this.#remove(lane);
    for (const { tenant } of rooms.keys()) this.#toTheEnd(tenant);
    return [...rooms].map(([lane, room]) => ({ lane, room }));
  }

  #next(tenant: Tenant, gate: Gate, now: Time): WebhookLane | undefined {
    for (const [name, origin] of tenant.origins) {
      const [lane] = origin.values();
      if (!lane) continue;
      const pausedUntil = gate.pausedUntil(lane);
      if (pausedUntil > now) {
        for (const paused of [...origin.values()]) {
          this.#remove(paused);
          this.addAt(paused, pausedUntil);
        }
      } else if (gate.enter(lane)) {
        origin.delete(lane.subscription);
        origin.set(lane.subscription, lane);
        tenant.origins.delete(name);
        tenant.origins.set(name, origin);
        return lane;
      }
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
