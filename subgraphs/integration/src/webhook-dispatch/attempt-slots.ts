import { originKey, type WebhookLane } from "../webhook-messages/webhook-lane.js";

/** Attempts that may wait for their receivers at once, in this process. */
export const slotLimits = {
  all: 256,
  tenant: 32,
  /** Of one of a tenant's origins. */
  origin: 16,
  /** The last places go only to tenants that hold few. */
  last: 64,
  few: 4,
} as const;

/** Who holds how many places. */
export class AttemptSlots {
  #all = 0;
  readonly #tenants = new Map<string, number>();
  readonly #origins = new Map<string, number>();

  get held(): number {
    return this.#all;
  }

  heldBy(lane: WebhookLane): number {
    return this.#origins.get(originKey(lane)) ?? 0;
  }

  /** Whether the tenant may have one more, at whichever of its origins. */
  openFor(tenant: string): boolean {
    const held = this.#tenants.get(tenant) ?? 0;
    const least = slotLimits.all - slotLimits.last;
    return this.#all < slotLimits.all && held < (this.#all < least ? slotLimits.tenant : slotLimits.few);
  }

  take(lane: WebhookLane): boolean {
    if (!this.openFor(lane.tenant) || this.heldBy(lane) >= slotLimits.origin) return false;
    this.#count(lane, 1);
    return true;
  }

  free(lane: WebhookLane, places = 1): void {
    this.#count(lane, -places);
  }

  #count(lane: WebhookLane, change: number): void {
    this.#all += change;
    add(this.#tenants, lane.tenant, change);
    add(this.#origins, originKey(lane), change);
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
