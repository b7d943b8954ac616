import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { platformFeatures } from "@factory/schema/edition-features";
import type { EditionCatalog } from "../../tenants/editions/edition-catalog.js";
import type { CheckedOrder } from "./check-order.js";
import type { Consumer, Entitlement } from "./entitlement.js";
import {
  countedAnswer,
  isCounted,
  lookedUsage,
  planRefusal,
  refusedAnswer,
  valueAnswer,
} from "./entitlement-answer.js";
import { type FeatureLimit, refusedEntitlement } from "./refused-entitlement.js";
import type { TenantPlans } from "./tenant-plans.js";
import type { CountedFeature } from "./usage/period.js";
import type { UsageSources } from "./usage/sources.js";
import type { UsageAnswer, UsageService } from "./usage/usage.service.js";
import type { UsageReader } from "./usage/usage-reader.js";

export interface EntitlementParts {
  readonly plans: TenantPlans;
  readonly editions: EditionCatalog;
  readonly usages: UsageReader;
  readonly usage: UsageService;
  readonly sources: UsageSources;
  readonly clock: () => Date;
}

interface Question {
  readonly tenant: Tenant;
  readonly cause: Cause;
  readonly consumer: Consumer;
}

/** Tells what a tenant's plan allows, and counts what it uses. A refusal is an answer. */
export class EntitlementService {
  readonly #parts: EntitlementParts;

  constructor(parts: EntitlementParts) {
    this.#parts = parts;
  }

  /** Checks a feature, and counts its usage where the order consumes. */
  async check(question: Question, order: CheckedOrder): Promise<Entitlement> {
    const { plans, editions } = this.#parts;
    const plan = await plans.of(question.tenant);
    const { editionCode } = plan;
    const { featureKey } = order;
    const of = { featureKey, editionCode };
    const feature = editions.featureOf(editionCode, featureKey);
    if (!feature && !editions.knowsFeature(featureKey)) return refusedAnswer(of, "FeatureUnknown");
    const refusal = planRefusal(plan, question.consumer, feature);
    if (refusal || !feature) return refusedAnswer(of, refusal ?? "FeatureNotInEdition");
    if (!isCounted(feature)) return valueAnswer(of, feature);
    const usage = order.consume
      ? await this.#consume(question, order, feature, editionCode)
      : await this.#look(question.tenant, order, feature);
    return countedAnswer(of, feature, usage);
  }

  /** As `check`, for the platform's own operations. Throws ENTITLEMENT_DENIED or QUOTA_EXCEEDED for a refusal. */
  async require(question: Question, order: CheckedOrder): Promise<Entitlement> {
    const answer = await this.check(question, order);
    if (!answer.allowed) throw refusedEntitlement(answer, this.#parts.clock());
    return answer;
  }

  /** The limit for a feature that the platform counts in its own tables. Throws ENTITLEMENT_DENIED. */
  async limitOf(tenant: Tenant, featureKey: string): Promise<FeatureLimit> {
    const { plans, editions, clock } = this.#parts;
    const plan = await plans.of(tenant);
    const of = { featureKey, editionCode: plan.editionCode };
    const feature = editions.featureOf(plan.editionCode, featureKey);
    const refusal = planRefusal(plan, "platform", feature);
    if (refusal || feature?.kind !== "limit")
      throw refusedEntitlement(refusedAnswer(of, refusal ?? "FeatureNotInEdition"), clock());
    return { ...of, limit: feature.limit };
  }

  /** Gives back what was consumed under the order's key, and returns whether there was something. */
  async release({ tenant, cause }: Question, { featureKey, idempotencyKey }: CheckedOrder): Promise<boolean> {
    if (idempotencyKey === undefined) return false;
    const { usage, usages } = this.#parts;
    const release = usage.release(tenant, cause, featureKey, idempotencyKey);
    return release.finally(() => usages.forget(tenant, featureKey));
  }

  /**
   * As `release`, for products, which give back limits only. Throws VALIDATION_FAILED without a key, for usage that the
   * platform counts itself, and for metered usage.
   */
  async giveBack(question: Question, order: CheckedOrder): Promise<boolean> {
    const { plans, editions } = this.#parts;
    const { featureKey, idempotencyKey } = order;
    if (idempotencyKey === undefined)
      throw new DomainError("VALIDATION_FAILED", {
        detail: "Send the key of the consumption that is given back.",
        errors: [{ pointer: "/idempotencyKey", code: "REQUIRED", detail: "This member is required." }],
      });
    const { editionCode } = await plans.of(question.tenant);
    const isMetered = editions.featureOf(editionCode, featureKey)?.kind === "metered";
    if (isMetered || Object.hasOwn(platformFeatures, featureKey))
      throw new DomainError("VALIDATION_FAILED", {
        detail: isMetered
          ? `The usage of ${featureKey} is metered: it is used up and is not given back.`
          : `The platform itself counts the usage of ${featureKey}.`,
        errors: [{ pointer: "/featureKey", code: "NOT_ALLOWED", detail: "Must be a limit that products consume." }],
      });
    return this.release(question, order);
  }

  /** Throws VALIDATION_FAILED for a consumption that could not be counted. */
  #consume(
    { tenant, cause }: Question,
    { featureKey, amount, idempotencyKey, subjectId }: CheckedOrder,
    feature: CountedFeature,
    editionCode: string,
  ): Promise<UsageAnswer> {
    if (!this.#parts.sources.isConsumable(featureKey))
      throw new DomainError("VALIDATION_FAILED", {
        detail: `The platform itself counts the usage of ${featureKey}. Check the feature without consume.`,
      });
    if (feature.kind === "limit" && idempotencyKey === undefined)
      throw new DomainError("VALIDATION_FAILED", {
        detail: `${featureKey} is a limit. To consume it, send an idempotencyKey, under which it is given back later.`,
      });
    const order = { featureKey, feature, editionCode, amount, idempotencyKey, subjectId };
    const { usage, usages } = this.#parts;
    return usage.consume(tenant, cause, order).finally(() => usages.forget(tenant, featureKey));
  }

  async #look(tenant: Tenant, { featureKey, amount }: CheckedOrder, feature: CountedFeature): Promise<UsageAnswer> {
    const { usages, clock } = this.#parts;
    const now = clock();
    const usage = await usages.one(tenant, featureKey, feature, now);
    return lookedUsage(feature, usage, { amount, now });
  }
}
