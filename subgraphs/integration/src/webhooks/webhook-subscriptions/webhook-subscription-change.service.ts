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

/** Changes the event type, the receiver, the secret and the state of webhook subscriptions. */
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
    let made: { subscription: WebhookSubscriptionType; secret: string | null } | undefined;
    const changed = await idempotentMutation<WebhookSubscriptionType, FactsOfTenant>(database, context, {
      field: "updateWebhookSubscription",
      arguments: { subscriptionId, input, ifMatch },
      prepare: async () => {
        if (input.endpointUrl != null) await refuseBlocked(this.#services, input.endpointUrl);
        return facts.of(tenantOf(context).tenantId);
      },
      commit: async (transaction, factsOfTenant) => {
        const known = await lockedSubscription(transaction, subscriptionId);
        requirePreconditions({ ifMatch }, known.version);
        requireOutbound(known, input);
        await requireReadableEvents(transaction, principalOf(context), known, input);
        const { changed, secret } = await this.#apply(transaction, known, input);
        const subscription = subscriptionView(await this.#move(transaction, changed, input, factsOfTenant));
        made = { subscription, secret };
        return subscription;
      },
    });
    // A transaction that runs again may return the result of another request, which has no secret.
    if (made?.subscription === changed) changed.signingSecret = made.secret;
    return changed;
  }

  async #apply(
    transaction: Transaction,
    known: SubscriptionRecord,
    input: UpdateWebhookSubscriptionInput,
  ): Promise<{ changed: SubscriptionRecord; secret: string | null }> {
    const { credentials } = this.#services;
    const signing = await signingCredential(transaction, credentials, input, known.direction);
    // The row of a new credential must exist before the subscription names it.
    if (signing?.isNew) await transaction.em.flush();
    const endpointUrl = input.endpointUrl ?? known.endpointUrl;
    const { ratePerSecond, filter, headers, ordering } = changedSettings(known, input);
    const subscription = decodeId("whs", known.subscriptionId) ?? "";
    const values = store.valuesOf({
      ...{ tenant: transaction.tenant.uuid, subscription, endpointUrl, ratePerSecond, ordering },
      projectId: input.projectId === undefined ? known.projectId : input.projectId,
      eventType: input.eventType ?? known.eventType,
      contentType: input.contentType ?? known.contentType,
      signingSecretRef: input.signingSecretRef ?? known.signingSecretRef,
      credential: signing ? (decodeId("crd", signing.credentialId) ?? null) : null,
      filter: filter && JSON.stringify(filter),
      headers: JSON.stringify(headers),
    });
    const [row] = await transaction.execute<SubscriptionRow>(store, values);
    announceInboundSources(transaction);
    const isLed = endpointUrl !== known.endpointUrl;
    // Waiting messages go to the new receiver.
    if (isLed) await this.#services.listeners.call(transaction, subscription);
    const stored = row ? readSubscription(row) : known;
    const changed = await this.#askReceiver(transaction, stored, { isLed, wanted: input.handshake });
    return { changed, secret: signing?.shownSecret ?? null };
  }

  /** A receiver that is new, or of which a handshake is wanted now, gets nothing until it has agreed. */
  async #askReceiver(
    transaction: Transaction,
    known: SubscriptionRecord,
    { isLed, wanted }: { isLed: boolean; wanted: boolean | null | undefined },
  ): Promise<SubscriptionRecord> {
    const { handshakes } = this.#services;
    const { subscriptionId } = known;
    const hasHandshake = known.handshake !== null;
    const asks = wanted ?? hasHandshake;
    if (asks === hasHandshake && !(asks && isLed)) return known;
    const values = [transaction.tenant.uuid, decodeId("whs", subscriptionId), asks ? new Date() : null];
    const [row] = await transaction.execute<SubscriptionRow>(restartHandshake, values);
    if (asks) await handshakes.begin(transaction, subscriptionId);
    return row ? readSubscription(row) : known;
  }

  async #move(
    transaction: Transaction,
    known: SubscriptionRecord,
    { active }: UpdateWebhookSubscriptionInput,
    facts: FactsOfTenant,
  ): Promise<SubscriptionRecord> {
    const wanted = active ? "Active" : "Paused";
    if (active == null || known.status === wanted) return known;
    return this.#services.states.moveIn(transaction, known, wanted, facts);
  }
}

/** The settings after the change. Throws PARAMETERS_INVALID. */
function changedSettings(known: SubscriptionRecord, input: UpdateWebhookSubscriptionInput) {
  const { ratePerSecond, filter, headers, ordering, handshake } = input;
  const given = {
    ...{ ratePerSecond: ratePerSecond ?? null, filter: filter ?? null, headers: headers ?? null },
    ...{ ordering: ordering ?? null, handshake: handshake ?? null },
  };
  const checked = checkedDeliverySettings(given, known.direction);
  return {
    ratePerSecond: ratePerSecond === undefined ? known.ratePerSecond : checked.ratePerSecond,
    filter: filter === undefined ? known.filter : checked.filter,
    headers: headers === undefined ? known.headers : checked.headers,
    ordering: ordering == null ? known.ordering : checked.ordering,
  };
}

function requireOutbound({ direction }: SubscriptionRecord, input: UpdateWebhookSubscriptionInput): void {
  const refused = direction === "Inbound" ? outboundMembers.filter((name) => input[name] != null) : [];
  if (refused.length === 0) return;
  throw new DomainError("VALIDATION_FAILED", {
    detail: "The members of a webhook subscription depend on its direction. See errors for each member.",
    errors: refused.map((name) => ({
      pointer: `/input/${name}`,
      code: "FORMAT",
      detail: `A subscription with the direction ${direction} cannot have it.`,
    })),
  });
}
