import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { EventType } from "@factory/schema/event-names";
import { recordRevocation } from "../../ground/revocations/record-revocation.js";
import { requireTenant, unknownTenant } from "./find-tenant.js";
import type { TenantMoveInput } from "./tenant.input.js";
import type { TenantState } from "./tenant.states.js";
import type { TenantType } from "./tenant.type.js";
import { tenantFacts, tenantView } from "./tenant.view.js";
import { bumpTenantVersion } from "./tenant-version.js";

interface TenantTransition {
  readonly from: readonly TenantState[];
  readonly to: TenantState;
  readonly event: EventType;
}

const transitions = {
  suspendTenant: { from: ["Active"], to: "Suspended", event: "TenantSuspended" },
  resumeTenant: { from: ["Suspended"], to: "Active", event: "TenantResumed" },
  archiveTenant: { from: ["Active", "Suspended", "ProvisioningFailed"], to: "Archived", event: "TenantArchived" },
} as const satisfies Record<string, TenantTransition>;

/** Suspends, resumes and archives tenants. The revocation in the same transaction informs every token verifier. */
export class TenantLifecycleService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  move(
    context: RequestContext,
    field: keyof typeof transitions,
    move: { tenantId: string; input: TenantMoveInput | null | undefined },
  ): Promise<TenantType> {
    const { tenantId, input } = move;
    if (decodeId("ten", tenantId) === undefined) throw unknownTenant();
    return idempotentMutation(this.#database, context, {
      field,
      arguments: { tenantId, input: input ?? null },
      tenant: tenantWithId(tenantId),
      commit: (transaction) => moveTenant(transaction, transitions[field], input?.reason ?? null),
    });
  }
}

async function moveTenant(
  transaction: Transaction,
  transition: TenantTransition,
  reason: string | null,
): Promise<TenantType> {
  const { tenantId } = transaction.tenant;
  const tenant = await requireTenant(transaction);
  const { from, to, event } = transition;
  if (!from.includes(tenant.status) || tenantId === platformTenantId)
    throw new DomainError("INVALID_STATE", {
      detail:
        tenantId === platformTenantId
          ? "The state of the platform's own tenant cannot change."
          : `The tenant is ${tenant.status}. It can become ${to} only from ${from.join(" or ")}.`,
      currentState: tenant.status,
      allowed: tenantId === platformTenantId ? [] : from,
    });
  tenant.status = to;
  tenant.updatedAt = new Date();
  await bumpTenantVersion(transaction);
  await recordRevocation(transaction, to === "Active" ? "TenantOpened" : "TenantClosed", tenantId);
  transaction.record({ type: event, subject: `tenants/${tenantId}`, data: { ...tenantFacts(tenant), reason } });
  return tenantView(tenant);
}
