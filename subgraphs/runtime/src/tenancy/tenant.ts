import type { Principal } from "../auth/principal.js";
import { DomainError } from "../errors/domain-error.js";
import { decodeId } from "../identifiers/wire-id.js";
import type { Abandonable, RequestContext } from "./request-context.js";

/** The tenant for which a transaction or statement runs. */
export interface Tenant {
  /** `ten_…` */
  readonly tenantId: string;
  /** The UUID inside the ID. Row-level security compares it with `tenant_id`. */
  readonly uuid: string;
  /**
   * Set for platform administrators who work across tenants: sets `app.platform`, which only the policies on platform
   * tables read.
   */
  readonly platform?: true;
  /**
   * The caller that waits for the result. A statement is ended when the caller has gone; absent: it always runs to its
   * end.
   */
  readonly caller?: Abandonable;
}

/** The request's principal. Throws UNAUTHENTICATED for a request without a token. */
export function principalOf(context: RequestContext): Principal {
  if (!context.principal)
    throw new DomainError("UNAUTHENTICATED", {
      detail: "A bearer token is required. Send it in the header Authorization.",
    });
  return context.principal;
}

/** Decoded tenants by principal. A principal object lives as long as its token is in the verifier's cache. */
const tenants = new WeakMap<Principal, Tenant>();

/** The caller's tenant. Throws UNAUTHENTICATED or TENANT_REQUIRED. */
export function tenantOf(context: RequestContext): Tenant {
  const principal = principalOf(context);
  const tenant = tenants.get(principal) ?? rememberedTenant(principal);
  return context.signal ? { ...tenant, caller: context.signal } : tenant;
}

function rememberedTenant(principal: Principal): Tenant {
  if (principal.tenantId === undefined)
    throw new DomainError("TENANT_REQUIRED", {
      detail: "The token does not belong to a tenant. Use a token of a client or user of a tenant.",
    });
  const tenant = tenantWithId(principal.tenantId);
  tenants.set(principal, tenant);
  return tenant;
}

/** The tenant with this wire ID (`ten_…`). Throws TENANT_UNKNOWN when the ID is malformed. */
export function tenantWithId(tenantId: string): Tenant {
  const uuid = decodeId("ten", tenantId);
  if (uuid === undefined)
    throw new DomainError("TENANT_UNKNOWN", {
      detail: "The tenant ID is malformed. A tenant ID looks like ten_ followed by 26 characters.",
    });
  return { tenantId, uuid };
}

/**
 * Throws TENANT_MISMATCH when the request names a tenant (in its body, header or route) that is not the caller's own.
 */
export function requireSameTenant(context: RequestContext, explicitTenantId: string | null | undefined): void {
  if (explicitTenantId == null) return;
  if (explicitTenantId !== tenantOf(context).tenantId)
    throw new DomainError("TENANT_MISMATCH", {
      detail: "The request names a different tenant than the token. Name the tenant of the token, or none.",
    });
}
