import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { type Preconditions, requirePreconditions } from "@factory/runtime/input-validation/preconditions";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { FactsOfTenant } from "@factory/runtime/tenant-facts/facts-of-tenant";
import type { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { lockedSubscription } from "./locked-subscription.js";
import type { WebhookSubscriptionType } from "./webhook-subscription.type.js";
import { subscriptionView } from "./webhook-subscription.view.js";
import type { WebhookSubscriptionStates } from "./webhook-subscription-moves.js";

interface LifecycleServices {
  readonly database: Database;
  readonly facts: TenantFacts;
  readonly states: WebhookSubscriptionStates;
}

const fieldOf = {
  Paused: "pauseWebhookSubscription",
  Active: "resumeWebhookSubscription",
  Deleted: "deleteWebhookSubscription",
} as const;

/** Pauses, resumes and deletes webhook subscriptions. */
export class WebhookSubscriptionLifecycleService {
  readonly #services: LifecycleServices;

  constructor(services: LifecycleServices) {
    this.#services = services;
  }

  /** Nothing is sent and no delivery is verified until the subscription is resumed. Waiting messages end as Skipped. */
  pause(context: RequestContext, subscriptionId: string): Promise<WebhookSubscriptionType> {
    return this.#move(context, subscriptionId, "Paused");
  }

  /** Makes a Paused or Disabled subscription Active. Events from before are not sent. */
  resume(context: RequestContext, subscriptionId: string): Promise<WebhookSubscriptionType> {
    return this.#move(context, subscriptionId, "Active");
  }

  /** Deletes a subscription for good. Its waiting messages end as Skipped; its credential stays. */
  delete(
    context: RequestContext,
    subscriptionId: string,
    preconditions: Preconditions,
  ): Promise<WebhookSubscriptionType> {
    return this.#move(context, subscriptionId, "Deleted", preconditions);
  }

  #move(
    context: RequestContext,
    subscriptionId: string,
    to: keyof typeof fieldOf,
    { ifMatch }: Preconditions = {},
  ): Promise<WebhookSubscriptionType> {
    const { database, facts, states } = this.#services;
    return idempotentMutation<WebhookSubscriptionType, FactsOfTenant | undefined>(database, context, {
      field: fieldOf[to],
      arguments: { subscriptionId, ifMatch },
      prepare: async () => (to === "Active" ? facts.of(tenantOf(context).tenantId) : undefined),
      commit: async (transaction, factsOfTenant) => {
        const current = await lockedSubscription(transaction, subscriptionId);
        requirePreconditions({ ifMatch }, current.version);
        return subscriptionView(await states.moveIn(transaction, current, to, factsOfTenant));
      },
    });
  }
}
