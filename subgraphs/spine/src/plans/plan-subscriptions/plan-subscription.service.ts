import { keyStatement } from "@factory/runtime/db/key-statement";
import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { enumFilter } from "@factory/runtime/pagination/list-filters";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { readPage, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { EditionCatalog } from "../../tenants/editions/edition-catalog.js";
import { cancelPlan } from "./cancel-plan-subscription.js";
import { type LockedPlan, makeDueChanges } from "./change-plan-subscription.js";
import { PlanActivation } from "./plan-activation.js";
import { changePlan, lockPlan, unknownPlanSubscription } from "./plan-mutation.js";
import type {
  ActivatePlanSubscriptionInput,
  CancelPlanSubscriptionInput,
  PlanSubscriptionFilterInput,
} from "./plan-subscription.input.js";
import { planSubscriptionStates } from "./plan-subscription.states.js";
import type { PlanSubscriptionConnection, PlanSubscriptionType } from "./plan-subscription.type.js";
import {
  type PlanSubscriptionRow,
  planSubscriptionColumns,
  planSubscriptionRowView,
  planSubscriptionView,
} from "./plan-subscription.view.js";

const onePlan = keyStatement(
  "one_plan_subscription",
  `select ${planSubscriptionColumns} from plan_subscriptions where tenant_id = scope.tenant and subscription_id = $2`,
);
const planOfTenant = tenantStatement(
  "plan_subscription_of_tenant",
  `select ${planSubscriptionColumns} from plan_subscriptions where tenant_id = scope.tenant`,
);

export const sortedPlanSubscriptions = new SortedList<PlanSubscriptionType, TenantStatement>({
  list: "plan_subscriptions",
  columns: { createdAt: { column: "created_at", type: "timestamptz", of: ({ createdAt }) => createdAt } },
  id: { column: "subscription_id", type: "uuid", of: ({ subscriptionId }) => decodeId("sub", subscriptionId) ?? "" },
  byDefault: "createdAt",
  filters: { status: enumFilter(planSubscriptionStates, "status") },
  statement: (name, { filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${planSubscriptionColumns} from plan_subscriptions
       where tenant_id = scope.tenant ${filters} ${after} order by ${order} limit ${limit}`,
    ),
});

interface PlanSubscriptionParts {
  readonly database: Database;
  readonly cursors: CursorSeal;
  readonly editions: EditionCatalog;
  readonly clock: () => Date;
}

/** Reads and changes a tenant's plan subscription. Each change first makes those whose time has come. */
export class PlanSubscriptionService {
  readonly #parts: PlanSubscriptionParts;

  constructor(parts: PlanSubscriptionParts) {
    this.#parts = parts;
  }

  async find(context: RequestContext, subscriptionId: string): Promise<PlanSubscriptionType | undefined> {
    const uuid = decodeId("sub", subscriptionId);
    if (uuid === undefined) return undefined;
    const row = await this.#parts.database.reader.row<PlanSubscriptionRow>(onePlan, tenantOf(context), uuid);
    return row && planSubscriptionRowView(row);
  }

  async get(context: RequestContext, subscriptionId: string): Promise<PlanSubscriptionType> {
    const plan = await this.find(context, subscriptionId);
    if (!plan) throw unknownPlanSubscription();
    return plan;
  }

  /** The tenant's plan subscription, if the tenant is the caller's own. */
  async ofTenant(context: RequestContext, tenantId: string): Promise<PlanSubscriptionType | null> {
    const tenant = tenantOf(context);
    if (tenantId !== tenant.tenantId) return null;
    const row = await this.#parts.database.reader.row<PlanSubscriptionRow>(planOfTenant, tenant);
    return row ? planSubscriptionRowView(row) : null;
  }

  list(
    context: RequestContext,
    request: PageRequest<PlanSubscriptionFilterInput>,
  ): Promise<PlanSubscriptionConnection> {
    const { database, cursors } = this.#parts;
    const list = { reader: database.reader, cursors, tenant: tenantOf(context) };
    return readPage(sortedPlanSubscriptions, list, request, planSubscriptionRowView);
  }

  activate(
    context: RequestContext,
    planSubscriptionId: string,
    input: ActivatePlanSubscriptionInput | null | undefined,
  ): Promise<PlanSubscriptionType> {
    const activation = new PlanActivation(this.#parts.editions, input);
    return changePlan(this.#parts, context, {
      field: "activatePlanSubscription",
      planSubscriptionId,
      given: { input: input ?? null },
      prepare: activation.prepare,
      work: (transaction, lockedPlan) => activation.byTenant(transaction, lockedPlan),
    });
  }

  cancel(
    context: RequestContext,
    planSubscriptionId: string,
    input: CancelPlanSubscriptionInput | null | undefined,
  ): Promise<PlanSubscriptionType> {
    return changePlan(this.#parts, context, {
      field: "cancelPlanSubscription",
      planSubscriptionId,
      given: { input: input ?? null },
      work: (transaction, lockedPlan) => cancelPlan(transaction, lockedPlan, input ?? {}),
    });
  }

  /** Makes the renewal whose time has come. Throws INVALID_STATE when none is due. */
  renew(context: RequestContext, planSubscriptionId: string): Promise<PlanSubscriptionType> {
    const { database, clock } = this.#parts;
    return idempotentMutation(database, context, {
      field: "renewPlanSubscription",
      arguments: { planSubscriptionId },
      async commit(transaction) {
        const lockedPlan = await lockPlan(transaction, planSubscriptionId, clock());
        const { plan } = lockedPlan;
        const { currentPeriodEnd } = plan;
        await makeDueChanges(transaction, lockedPlan);
        if (plan.status !== "Active" || plan.currentPeriodEnd === currentPeriodEnd) throw notDue(plan);
        return planSubscriptionView(plan);
      },
    });
  }
}

const notDue = ({ status, currentPeriodEnd }: Pick<LockedPlan["plan"], "status" | "currentPeriodEnd">) =>
  new DomainError("INVALID_STATE", {
    detail:
      status === "Active"
        ? `The period of the plan subscription ends at ${currentPeriodEnd?.toISOString()}. It is renewed after that.`
        : `The plan subscription is ${status}. Only an Active one is renewed.`,
    currentState: status,
    allowed: ["Active"],
  });
