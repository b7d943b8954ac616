import type { TenantFactor } from "@factory/rest-facade/rate-limits";
import type { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import { editionFactor } from "@factory/schema/edition-factors";

/**
 * The factor for the tenant's current edition times the factor that the platform has set for the tenant. The edition in
 * the token decides while memory does not have the tenant.
 */
export function tenantFactor(facts: Pick<TenantFacts, "peek">): TenantFactor {
  return ({ tenantId, editionCode }) => {
    const tenantFacts = tenantId === undefined ? undefined : facts.peek(tenantId);
    if (!tenantFacts) return editionFactor(editionCode);
    return editionFactor(tenantFacts.editionCode ?? editionCode) * tenantFacts.limit("rateLimitFactor");
  };
}
