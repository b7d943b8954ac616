import { namedStatement } from "@factory/runtime/db/named-parameters";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { type Preconditions, requirePreconditions } from "@factory/runtime/input-validation/preconditions";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, requireSameTenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { FactsOfTenant } from "@factory/runtime/tenant-facts/facts-of-tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { isNameTaken } from "../../credentials/credentials/credential.service.js";
import { announceInboundSources } from "../../providers/providers/inbound-sources.js";
import { checkedContentType, readableEventType } from "./checked-subscription.js";
import { checkedDeliverySettings } from "./delivery-settings/delivery-settings.js";
import { refuseBlocked } from "./endpoint/blocked-endpoint.js";
import { requireReadableEvents } from "./endpoint/readable-events.js";
import { lockedSubscription } from "./locked-subscription.js";
import { signingCredential } from "./signing-credential.js";
import type { SubscriptionChangeListeners } from "./subscription-change-listeners.js";
import type { UpdateWebhookSubscriptionInput } from "./webhook-subscription.input.js";
import type { WebhookSubscriptionSettings } from "./webhook-subscription.service.js";
import type { WebhookSubscriptionType } from "./webhook-subscription.type.js";
import {
  readSubscription,
  type SubscriptionRecord,
  type SubscriptionRow,
  subscriptionColumns,
  subscriptionView,
} from "./webhook-subscription.view.js";
import type { WebhookSubscriptionStates } from "./webhook-subscription-moves.js";

/** A new receiver has no failures yet. */
const store = namedStatement(
  "webhook_subscription_change",
  `update webhook_subscriptions set project_id = $projectId, event_type = $eventType, endpoint_url = $endpointUrl,
      content_type = $contentType, signing_secret_ref = $signingSecretRef,
      credential_id = coalesce($credential, credential_id), rate_per_second = $ratePerSecond, filter = $filter::json,
      headers = nullif($headers::jsonb, 'null'), ordering = $ordering, version = version + 1,
      failing_since = case when endpoint_url is distinct from $endpointUrl then null else failing_since end,
      exhausted_since = case when endpoint_url is distinct from $endpointUrl then null else exhausted_since end,
      warned_at = case when endpoint_url is distinct from $endpointUrl then null else warned_at end
    where tenant_id = $tenant and subscription_id = $subscription returning ${subscriptionColumns}`,
);

/** $3: the time from which the receiver is asked; null when it is not asked any more. The former answer is forgotten. */
const restartHandshake = {
  name: "webhook_subscription_restart_handshake",
  text: `update webhook_subscriptions set handshake = case when $3::timestamptz is not null then 'Pending' end,
      handshake_url = null, handshake_since = $3, handshake_attempts = 0, handshake_next_at = $3, handshake_detail = null,
      allowed_per_minute = null, version = version + 1
    where tenant_id = $1 and subscription_id = $2 returning ${subscriptionColumns}`,
};

interface ChangeServices extends WebhookSubscriptionSettings {
  readonly states: WebhookSubscriptionStates;
  readonly listeners: SubscriptionChangeListeners;
}

/** A request that changes a webhook subscription. */
interface SubscriptionChange extends Preconditions {
  readonly subscriptionId: string;
  readonly input: UpdateWebhookSubscriptionInput;
}

/** Members that only subscriptions with an endpoint have. */
const outboundMembers = ["eventType", "endpointUrl", "contentType"] as const;

/** Changes webhook subscriptions: their event type, receiver, secret and state. */
export class WebhookSubscriptionChangeService {
  readonly #services: ChangeServices;

  constructor(services: ChangeServices) {
    this.#services = services;
  }

  async change(context: RequestContext, change: SubscriptionChange): Promise<WebhookSubscriptionType> {
    const { input } = change;
    requireSameTenant(context, input.tenantId);
    if (input.contentType != null) checkedContentType(input.contentType);
    if (input.eventType != null) readableEventType(context, input.eventType);
    const attempt = () => this.#change(context, change);
    try {
      return await attempt();
    } catch (error) {
      // Another request has created the credential, so the second try finds it.
      if (isNameTaken(error)) return attempt();
      throw error;
    }
  }

  /** Only this response contains a generated secret, as with `createWebhookSubscription`. */
  async #change(
    context: RequestContext,
    { subscriptionId, input, ifMatch }: SubscriptionChange,
  ): Promise<WebhookSubscriptionType> {
    const { database, facts } = this.#services;
    let result: { subscription: WebhookSubscriptionType; secret: string | null } | undefined;
    const answer = await idempotentMutation<WebhookSubscriptionType, FactsOfTenant>(database, context, {
      field: "updateWebhookSubscription",
      arguments: { subscriptionId, input, ifMatch },
      prepare: async () => {
        if (input.endpointUrl != null) await refuseBlocked(this.#services, input.endpointUrl);
        return facts.of(tenantOf(context).tenantId);
      },
      commit: async (transaction, factsOfTenant) => {
        const current = await lockedSubscription(transaction, subscriptionId);
        requirePreconditions({ ifMatch }, current.version);
        requireOutbound(current, input);
        await requireReadableEvents(transaction, principalOf(context), current, input);
        const { changed, secret } = await this.#apply(transaction, current, input);
        const subscription = subscriptionView(await this.#move(transaction, changed, input, factsOfTenant));
        result = { subscription, secret };
        return subscription;
      },
    });
    // A transaction that runs again may return another request's result, which has no secret.
    if (result?.subscription === answer) answer.signingSecret = result.secret;
    return answer;
  }

  async #apply(
    transaction: Transaction,
    current: SubscriptionRecord,
    input: UpdateWebhookSubscriptionInput,
  ): Promise<{ changed: SubscriptionRecord; secret: string | null }> {
    const { credentials } = this.#services;
    const signing = await signingCredential(transaction, credentials, input, current.direction);
    // The new credential's row must exist before the subscription names it.
    if (signing?.isNew) await transaction.em.flush();
    const endpointUrl = input.endpointUrl ?? current.endpointUrl;
    const { ratePerSecond, filter, headers, ordering } = changedSettings(current, input);
    const subscription = decodeId("whs", current.subscriptionId) ?? "";
    const values = store.valuesOf({
      ...{ tenant: transaction.tenant.uuid, subscription, endpointUrl, ratePerSecond, ordering },
      projectId: input.projectId === undefined ? current.projectId : input.projectId,
      eventType: input.eventType ?? current.eventType,
      contentType: input.contentType ?? current.contentType,
      signingSecretRef: input.signingSecretRef ?? current.signingSecretRef,
      credential: signing ? (decodeId("crd", signing.credentialId) ?? null) : null,
      filter: filter && JSON.stringify(filter),
      headers: JSON.stringify(headers),
    });
    const [row] = await transaction.execute<SubscriptionRow>(store, values);
    announceInboundSources(transaction);
    const isLed = endpointUrl !== current.endpointUrl;
    // Waiting messages go to the new receiver.
    if (isLed) await this.#services.listeners.call(transaction, subscription);
    const storedSubscription = row ? readSubscription(row) : current;
    const changedSubscription = await this.#askReceiver(transaction, storedSubscription, {
      isLed,
      wanted: input.handshake,
    });
    return { changed: changedSubscription, secret: signing?.shownSecret ?? null };
  }

  /** A receiver that is new, or that must now answer a handshake, gets nothing until it has agreed. */
  async #askReceiver(
    transaction: Transaction,
    current: SubscriptionRecord,
    { isLed, wanted }: { isLed: boolean; wanted: boolean | null | undefined },
  ): Promise<SubscriptionRecord> {
    const { handshakes } = this.#services;
    const { subscriptionId } = current;
    const hasHandshake = current.handshake !== null;
    const asks = wanted ?? hasHandshake;
    if (asks === hasHandshake && !(asks && isLed)) return current;
    const values = [transaction.tenant.uuid, decodeId("whs", subscriptionId), asks ? new Date() : null];
    const [row] = await transaction.execute<SubscriptionRow>(restartHandshake, values);
    if (asks) await handshakes.begin(transaction, subscriptionId);
    return row ? readSubscription(row) : current;
  }

  async #move(
    transaction: Transaction,
    current: SubscriptionRecord,
    { active }: UpdateWebhookSubscriptionInput,
    facts: FactsOfTenant,
  ): Promise<SubscriptionRecord> {
    const target = active ? "Active" : "Paused";
    if (active == null || current.status === target) return current;
    return this.#services.states.moveIn(transaction, current, target, facts);
  }
}

/** The settings after the change. Throws PARAMETERS_INVALID. */
function changedSettings(current: SubscriptionRecord, input: UpdateWebhookSubscriptionInput) {
  const { ratePerSecond, filter, headers, ordering, handshake } = input;
  const wantedSettings = {
    ...{ ratePerSecond: ratePerSecond ?? null, filter: filter ?? null, headers: headers ?? null },
    ...{ ordering: ordering ?? null, handshake: handshake ?? null },
  };
  const newSettings = checkedDeliverySettings(wantedSettings, current.direction);
  return {
    ratePerSecond: ratePerSecond === undefined ? current.ratePerSecond : newSettings.ratePerSecond,
    filter: filter === undefined ? current.filter : newSettings.filter,
    headers: headers === undefined ? current.headers : newSettings.headers,
    ordering: ordering == null ? current.ordering : newSettings.ordering,
  };
}

function requireOutbound({ direction }: SubscriptionRecord, input: UpdateWebhookSubscriptionInput): void {
  const refusedMembers = direction === "Inbound" ? outboundMembers.filter((name) => input[name] != null) : [];
  if (refusedMembers.length === 0) return;
  throw new DomainError("VALIDATION_FAILED", {
    detail: "The members of a webhook subscription depend on its direction. See errors for each member.",
    errors: refusedMembers.map((name) => ({
      pointer: `/input/${name}`,
      code: "FORMAT",
      detail: `A subscription with the direction ${direction} cannot have it.`,
    })),
  });
}
