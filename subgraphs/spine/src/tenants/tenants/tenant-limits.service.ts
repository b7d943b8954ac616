import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { inputValidator } from "@factory/runtime/input-validation/input-validator";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import {
  isTenantLimitKey,
  type TenantLimitKey,
  type TenantLimitValues,
  tenantLimits,
} from "@factory/schema/tenant-limits";
import { requireTenant, unknownTenant } from "./find-tenant.js";
import type { TenantLimitsInput } from "./tenant.input.js";
import type { TenantType } from "./tenant.type.js";
import { tenantFacts, tenantLimitsView, tenantView } from "./tenant.view.js";
import { bumpTenantVersion } from "./tenant-version.js";

const limitKeys = Object.keys(tenantLimits).filter(isTenantLimitKey);

const checks: Record<TenantLimitKey, ReturnType<typeof inputValidator>> = {
  rateLimitFactor: inputValidator(tenantLimits.rateLimitFactor.schema),
  maxRunningExecutions: inputValidator(tenantLimits.maxRunningExecutions.schema),
};

/** Sets the limits that the platform gives to a tenant. */
export class TenantLimitsService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  set(context: RequestContext, tenantId: string, input: TenantLimitsInput): Promise<TenantType> {
    if (decodeId("ten", tenantId) === undefined) throw unknownTenant();
    requireValid(input);
    return idempotentMutation(this.#database, context, {
      field: "setTenantLimits",
      arguments: { tenantId, input },
      tenant: tenantWithId(tenantId),
      commit: (transaction) => changeLimits(transaction, input),
    });
  }
}

function requireValid(input: TenantLimitsInput): void {
  const errors = limitKeys.flatMap((key) =>
    input[key] == null ? [] : checks[key](input[key]).map((error) => ({ ...error, pointer: `/input/${key}` })),
  );
  if (errors.length > 0)
    throw new DomainError("VALIDATION_FAILED", { detail: "A limit is outside its range. See errors.", errors });
}

/** Records TenantLimitsUpdated when a limit changes. */
async function changeLimits(transaction: Transaction, input: TenantLimitsInput): Promise<TenantType> {
  const tenant = await requireTenant(transaction);
  const before = tenantLimitsView(tenant.limits);
  const values = limitKeys.map((key) => [key, input[key] === undefined ? tenant.limits[key] : input[key]] as const);
  tenant.limits = Object.fromEntries(values.filter(([, value]) => value != null)) as Partial<TenantLimitValues>;
  const limits = tenantLimitsView(tenant.limits);
  if (limitKeys.some((key) => limits[key] !== before[key])) {
    tenant.updatedAt = new Date();
    await bumpTenantVersion(transaction);
    const subject = `tenants/${tenant.tenantId}`;
    transaction.record({ type: "TenantLimitsUpdated", subject, data: { ...tenantFacts(tenant), limits } });
  }
  return tenantView(tenant);
}
