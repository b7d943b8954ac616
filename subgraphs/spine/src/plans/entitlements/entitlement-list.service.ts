import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { connectionOf, type PageRequest, pageOf, pageReach } from "@factory/runtime/pagination/page";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { type EditionFeature, platformFeatures } from "@factory/schema/edition-features";
import type { Entitlement } from "./entitlement.js";
import type { EntitlementParts } from "./entitlement.service.js";
import type { EntitlementConnection, EntitlementType } from "./entitlement.type.js";
import {
  countedAnswer,
  isCounted,
  lookedUsage,
  planRefusal,
  refusedAnswer,
  valueAnswer,
} from "./entitlement-answer.js";
import type { TenantPlan } from "./tenant-plans.js";

type ListParts = Pick<EntitlementParts, "plans" | "editions" | "usages" | "clock">;

/** Lists what a tenant's plan allows, and how much it has used. */
export class EntitlementListService {
  readonly #parts: ListParts;
  readonly #cursors: CursorSeal;

  constructor(parts: ListParts, cursors: CursorSeal) {
    this.#parts = parts;
    this.#cursors = cursors;
  }

  /** Sorted by key. An edition has at most 100 features. */
  async list(context: RequestContext, bounds: PageRequest<never>): Promise<EntitlementConnection> {
    const { plans, editions, usages, clock } = this.#parts;
    const tenant = tenantOf(context);
    const reach = pageReach(bounds);
    const cursorBinding = { tenantId: tenant.tenantId, list: "entitlements" };
    const cursorKey = reach.cursor === undefined ? undefined : String(this.#cursors.open(cursorBinding, reach.cursor));
    const plan = await plans.of(tenant);
    const allFeatures = Object.entries(editions.featuresOf(plan.editionCode));
    const features = pageOf(allFeatures, reach, { keyOf: ([key]) => key, cursorKey });
    const now = clock();
    const countedFeatures = features.flatMap(([key, feature]) => (isCounted(feature) ? [[key, feature] as const] : []));
    const usageByKey =
      countedFeatures.length === 0 ? new Map<string, number>() : await usages.many(tenant, countedFeatures, now);
    const nodes = features.map(([key, feature]) =>
      entitlementView(feature, answerOf(plan, [key, feature], { usage: usageByKey.get(key), now })),
    );
    const cursorOf = ({ featureKey }: EntitlementType) => this.#cursors.seal(cursorBinding, featureKey);
    return connectionOf(nodes, reach, cursorOf);
  }
}

function answerOf(
  plan: TenantPlan,
  [featureKey, feature]: readonly [string, EditionFeature],
  { usage, now }: { usage: number | undefined; now: Date },
): Entitlement {
  const of = { featureKey, editionCode: plan.editionCode };
  const consumer = Object.hasOwn(platformFeatures, featureKey) ? "platform" : "product";
  const refusal = planRefusal(plan, consumer, feature);
  if (!isCounted(feature)) return refusal ? refusedAnswer(of, refusal) : valueAnswer(of, feature);
  const answer = countedAnswer(of, feature, lookedUsage(feature, usage, { amount: 1, now }));
  return refusal ? { ...answer, ...refusedAnswer(of, refusal) } : answer;
}

function entitlementView({ kind }: EditionFeature, answer: Entitlement): EntitlementType {
  const { featureKey, allowed, reason, editionCode, softLimit, resetAt, config } = answer;
  const { limit = null, currentUsage: usage = null, remaining = null } = answer;
  return {
    ...{ featureKey, kind, allowed, reason, editionCode, limit, usage, remaining, softLimit },
    resetAt: resetAt?.toISOString() ?? null,
    value: config ?? null,
  };
}
