import { hashedLocks } from "@factory/runtime/db/advisory-locks";
import type { TenantStatement } from "@factory/runtime/db/tenant-statement";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { EntitlementService } from "../../plans/entitlements/entitlement.service.js";
import { type FeatureLimit, requireWithinLimit } from "../../plans/entitlements/refused-entitlement.js";
import { activeSeats, takenSeats } from "./seat-statement.js";

/** The feature that limits a tenant's users. */
export const seatsFeature = "users.max";

/** The seats that a plan gives to a tenant's users. */
export class Seats {
  readonly #entitlements: EntitlementService;

  constructor(entitlements: EntitlementService) {
    this.#entitlements = entitlements;
  }

  /** Reads the limit, which must happen before the transaction. Throws ENTITLEMENT_DENIED. */
  limitOf(tenant: Tenant): Promise<FeatureLimit> {
    return this.#entitlements.limitOf(tenant, seatsFeature);
  }

  /** Throws ENTITLEMENT_DENIED unless one more user or open invitation has a seat. */
  requireFree(transaction: Transaction, limit: FeatureLimit): Promise<void> {
    return requireSeat(transaction, limit, takenSeats);
  }

  /** As `requireFree`, for an invitation that becomes a user: its seat counts already, unless the limit was lowered. */
  requireFreeForInvited(transaction: Transaction, limit: FeatureLimit): Promise<void> {
    return requireSeat(transaction, limit, activeSeats);
  }
}

/** Seats are counted and taken under one lock, which the transaction takes after its locks on rows. */
async function requireSeat(
  { execute, defer, tenant }: Transaction,
  limit: FeatureLimit,
  takenSeats: TenantStatement,
): Promise<void> {
  if (limit.limit === null) return;
  await defer("select pg_advisory_xact_lock(hashtextextended($1, 0))", [hashedLocks.seats(tenant.tenantId)]);
  const [row] = await execute<{ usage: string }>(takenSeats, [tenant.uuid]);
  requireWithinLimit(limit, Number(row?.usage ?? 0) + 1);
}
