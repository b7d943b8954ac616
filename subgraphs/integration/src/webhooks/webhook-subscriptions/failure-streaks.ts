import { namedStatement } from "@factory/runtime/db/named-parameters";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { WebhookSubscriptionService } from "./webhook-subscription.service.js";

const endStreaks = {
  name: "webhook_subscriptions_end_streaks",
  text: `update webhook_subscriptions set failing_since = null, exhausted_since = null, warned_at = null
    where tenant_id = $1 and subscription_id = any ($2::uuid[]) and failing_since is not null`,
};

const beginStreaks = {
  name: "webhook_subscriptions_begin_streaks",
  text: `update webhook_subscriptions set failing_since = now(), warned_at = null
    where tenant_id = $1 and subscription_id = any ($2::uuid[]) and failing_since is null`,
};

/** The streak before an attempt, whose row stays locked. A warning belongs to the streak in which it was given. */
const former = `former as (
    select failing_since, case when failing_since is null then null else exhausted_since end as exhausted_since,
      case when failing_since is null then null else warned_at end as warned_at
    from webhook_subscriptions where tenant_id = $tenant and subscription_id = $subscription for update)`;

const endStreak = namedStatement(
  "webhook_subscription_end_streak",
  `with ${former}
    update webhook_subscriptions set failing_since = null, exhausted_since = null, warned_at = null
    from former
    where tenant_id = $tenant and subscription_id = $subscription and former.failing_since is not null
    returning former.failing_since, former.warned_at is not null as warned`,
);

const continueStreak = namedStatement(
  "webhook_subscription_continue_streak",
  `with ${former}
    update webhook_subscriptions subscription set failing_since = coalesce(former.failing_since, now()),
      exhausted_since = coalesce(former.exhausted_since, case when $hopeless then now() end),
      warned_at = coalesce(former.warned_at, case when $warns then now() end)
    from former
    where tenant_id = $tenant and subscription_id = $subscription and (former.failing_since is null or $hopeless or $warns)
    returning subscription.failing_since, $warns and former.warned_at is null as first_warning,
      subscription.failing_since <= now() - interval '120 hours'
        and subscription.exhausted_since <= now() - interval '12 hours' as hopeless`,
);

/** A failed attempt, for its subscription's failure streak. */
interface FailedAttempt {
  /**
   * True when the message has no attempt left, and for a probe to a receiver that does not respond, because no message
   * can use up its attempts behind such a probe.
   */
  readonly hopeless: boolean;
  /** True when the tenant must learn about the streak. */
  readonly warns: boolean;
}

/** The receivers' health: since when all a subscription's attempts fail. */
export class FailureStreaks {
  readonly #subscriptions: WebhookSubscriptionService;

  constructor(subscriptions: WebhookSubscriptionService) {
    this.#subscriptions = subscriptions;
  }

  /** Ends the subscriptions' (UUIDs) streaks without a warning after a successful attempt. */
  async recordSuccesses({ defer, tenant }: Transaction, subscriptions: readonly string[]): Promise<void> {
    await defer(endStreaks, [tenant.uuid, subscriptions]);
  }

  /** Begins the subscriptions' (UUIDs) streaks after a first failed attempt. */
  async recordFirstFailures({ defer, tenant }: Transaction, subscriptions: readonly string[]): Promise<void> {
    await defer(beginStreaks, [tenant.uuid, subscriptions]);
  }

  /** Ends a streak after a success. Returns its beginning when the tenant was warned about it. */
  async end({ execute, tenant }: Transaction, subscription: string): Promise<string | undefined> {
    const values = endStreak.valuesOf({ tenant: tenant.uuid, subscription });
    const [streak] = await execute<{ failing_since: string; warned: boolean }>(endStreak, values);
    return streak?.warned ? new Date(streak.failing_since).toISOString() : undefined;
  }

  /**
   * Records a failed attempt, and disables the subscription after 120 h with failures only and 12 h after the first
   * hopeless one. Returns the streak's beginning when the attempt is its first that warns.
   */
  async continue(transaction: Transaction, subscription: string, attempt: FailedAttempt): Promise<string | undefined> {
    const { execute, tenant } = transaction;
    const [row] = await execute<{ failing_since: string; first_warning: boolean; hopeless: boolean | null }>(
      continueStreak,
      continueStreak.valuesOf({ tenant: tenant.uuid, subscription, hopeless: attempt.hopeless, warns: attempt.warns }),
    );
    if (row?.hopeless) await this.#subscriptions.disable(transaction, encodeId("whs", subscription), "OnlyFailures");
    return row?.first_warning ? new Date(row.failing_since).toISOString() : undefined;
  }
}
