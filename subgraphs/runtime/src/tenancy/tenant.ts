import type { Principal } from "../auth/principal.js";
import { DomainError } from "../errors/domain-error.js";
import { decodeId } from "../identifiers/wire-id.js";
import type { Abandonable, RequestContext } from "./request-context.js";

export interface Tenant {
  /** `ten_…` */
  readonly tenantId: string;
  /** The uuid inside the id: what row-level security compares. */
  readonly uuid: string;
  /** Work on Tenants across tenants: sets `app.platform`, which only the policies of such tables read. */
  readonly platform?: true;
  /** Who waits for what is read; absent: it is read to its end. */
  readonly caller?: Abandonable;
}

export function principalOf(context: RequestContext): Principal {
  if (!context.principal)
    throw new DomainError("UNAUTHENTICATED", {
      detail: "A bearer token is required. Send it in the header Authorization.",
    });
  return context.principal;
}

/** A principal lives as long as its token is remembered, and with it its decoded tenant. */
const tenants = new WeakMap<Principal, Tenant>();

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

export function tenantWithId(tenantId: string): Tenant {
  const uuid = decodeId("ten", tenantId);
  if (uuid === undefined)
    throw new DomainError("TENANT_UNKNOWN", {
      detail: "The tenant ID is malformed. A tenant ID looks like ten_ followed by 26 characters.",
    });
  return { tenantId, uuid };
}

/** An explicit tenant (body, header, route) must be the caller's own; checked before any store is touched. */
export function requireSameTenant(context: RequestContext, explicitTenantId: string | null | undefined): void {
  if (explicitTenantId == null) return;
  if (explicitTenantId !== tenantOf(context).tenantId)
    throw new DomainError("TENANT_MISMATCH", {
      detail: "The request names a different tenant than the token. Name the tenant of the token, or none.",
    });
}
