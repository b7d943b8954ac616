import { originKey, type TenantOrigin } from "./tenant-origin.js";

/** The limits on this process's requests that wait for their receivers at the same time. */
export interface SlotLimits {
  readonly maxTotal: number;
  readonly maxPerTenant: number;
  /** For one origin and one tenant. */
  readonly maxPerOrigin: number;
  /** The last slots are reserved for tenants that hold few. */
  readonly reserved: number;
  readonly maxPerTenantOfReserved: number;
}

export const slotLimits: SlotLimits = {
  maxTotal: 256,
  maxPerTenant: 32,
  maxPerOrigin: 16,
  reserved: 64,
  maxPerTenantOfReserved: 4,
};

/** Counts the requests that wait for their receivers, by tenant and by origin. */
export class OriginSlots {
  readonly #limits: SlotLimits;
  #all = 0;
  readonly #tenants = new Map<string, number>();
  readonly #origins = new Map<string, number>();

  constructor(limits: SlotLimits = slotLimits) {
    this.#limits = limits;
  }

  get held(): number {
    return this.#all;
  }

  heldByOrigin(receiver: TenantOrigin): number {
    return this.#origins.get(originKey(receiver)) ?? 0;
  }

  /** True when the tenant may have one more request, at whatever origin. */
  hasRoomFor(tenant: string): boolean {
    const slotsOfTenant = this.#tenants.get(tenant) ?? 0;
    const { maxTotal, maxPerTenant, reserved, maxPerTenantOfReserved } = this.#limits;
    return (
      this.#all < maxTotal && slotsOfTenant < (this.#all < maxTotal - reserved ? maxPerTenant : maxPerTenantOfReserved)
    );
  }

  take(receiver: TenantOrigin): boolean {
    if (!this.hasRoomFor(receiver.tenant) || this.heldByOrigin(receiver) >= this.#limits.maxPerOrigin) return false;
    this.#count(receiver, 1);
    return true;
  }

  free(receiver: TenantOrigin, slots = 1): void {
    this.#count(receiver, -slots);
  }

  #count(receiver: TenantOrigin, change: number): void {
    this.#all += change;
    add(this.#tenants, receiver.tenant, change);
    add(this.#origins, originKey(receiver), change);
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
