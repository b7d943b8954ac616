import { originKey, type WebhookLane } from "../webhook-messages/webhook-lane.js";

/** The limits on attempts of this process that wait for their receivers at the same time. */
export const slotLimits = {
  maxTotal: 256,
  maxPerTenant: 32,
  /** For one origin of one tenant. */
  maxPerOrigin: 16,
  /** The last slots are reserved for tenants that hold few of them. */
  reserved: 64,
  maxPerTenantOfReserved: 4,
} as const;

/** Counts the attempts that wait for their receivers, by tenant and by origin. */
export class AttemptSlots {
  #all = 0;
  readonly #tenants = new Map<string, number>();
  readonly #origins = new Map<string, number>();

  get held(): number {
    return this.#all;
  }

  heldByOrigin(lane: WebhookLane): number {
    return this.#origins.get(originKey(lane)) ?? 0;
  }

  /** True when the tenant may have one more attempt, at any of its origins. */
  hasRoomFor(tenant: string): boolean {
    const held = this.#tenants.get(tenant) ?? 0;
    const unreserved = slotLimits.maxTotal - slotLimits.reserved;
    return (
      this.#all < slotLimits.maxTotal &&
      held < (this.#all < unreserved ? slotLimits.maxPerTenant : slotLimits.maxPerTenantOfReserved)
    );
  }

  take(lane: WebhookLane): boolean {
    if (!this.hasRoomFor(lane.tenant) || this.heldByOrigin(lane) >= slotLimits.maxPerOrigin) return false;
    this.#count(lane, 1);
    return true;
  }

  free(lane: WebhookLane, slots = 1): void {
    this.#count(lane, -slots);
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
