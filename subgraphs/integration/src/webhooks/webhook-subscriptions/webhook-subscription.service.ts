import { columnsOf, type RecordOf, type RowOf } from "@factory/runtime/db/entity-rows";
import { keyStatement } from "@factory/runtime/db/key-statement";
import type { Egress } from "@factory/runtime/egress/egress";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { requireSameTenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { FactsOfTenant } from "@factory/runtime/tenant-facts/facts-of-tenant";
import type { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { type CredentialService, isNameTaken } from "../../credentials/credentials/credential.service.js";
import { deliveryUrl } from "../../ground/delivery-address/delivery-url.js";
import { announceInboundSources } from "../../providers/providers/inbound-sources.js";
import type { ProviderService } from "../../providers/providers/provider.service.js";
import { type CheckedSubscription, checkedSubscription, secretMissing } from "./checked-subscription.js";
import { refuseBlocked } from "./endpoint/blocked-endpoint.js";
import { firstHandshake, type HandshakeStarter } from "./handshake/first-handshake.js";
import { unknownSubscription } from "./locked-subscription.js";
import { signingCredential } from "./signing-credential.js";
import { requireRoomForWebhook } from "./webhook-limit.js";
import { WebhookSubscription } from "./webhook-subscription.entity.js";
import type { CreateWebhookSubscriptionInput } from "./webhook-subscription.input.js";
import type { DisabledReason } from "./webhook-subscription.states.js";
import type { WebhookSubscriptionType } from "./webhook-subscription.type.js";
import {
  readSubscription,
  type SubscriptionRow,
  subscriptionColumns,
  subscriptionView,
} from "./webhook-subscription.view.js";

const activeMembers = ["subscriptionId", "projectId", "eventType", "endpointUrl", "ordering", "filter"] as const;
type ActiveMember = (typeof activeMembers)[number];

/** A subscription that has an event type, so it is an outbound one with an endpoint. */
type ActiveSubscription = RecordOf<WebhookSubscription, ActiveMember> & { readonly endpointUrl: string };
type ActiveRow = RowOf<WebhookSubscription, ActiveMember> & { endpoint_url: string };

export interface WebhookSubscriptionSettings {
  readonly database: Database;
  readonly credentials: CredentialService;
  readonly egress: Egress;
  readonly httpsOnly: boolean;
  readonly facts: TenantFacts;
  readonly providers: ProviderService;
  /** The platform's address in delivery URLs, without a slash at its end. */
  readonly publicUrl: string;
  readonly handshakes: HandshakeStarter;
}

const subscriptionById = keyStatement(
  "webhook_subscription_by_id",
  `select ${subscriptionColumns}
   from webhook_subscriptions where tenant_id = scope.tenant and subscription_id = $2 and status <> 'Deleted'`,
);

const activeOfTypes = {
  name: "webhook_subscriptions_active",
  text: `select ${columnsOf(WebhookSubscription, activeMembers)} from webhook_subscriptions
    where tenant_id = $1 and event_type = any($2) and status = 'Active' order by subscription_id`,
};

interface Prepared {
  readonly facts: FactsOfTenant;
  /** Makes an Inbound subscription's delivery URL from its ID. */
  readonly url: ((subscriptionId: string) => string) | undefined;
}

/** Creates, finds and disables webhook subscriptions. */
export class WebhookSubscriptionService {
  readonly #settings: WebhookSubscriptionSettings;

  constructor(settings: WebhookSubscriptionSettings) {
    this.#settings = settings;
  }

  async find(context: RequestContext, subscriptionId: string): Promise<WebhookSubscriptionType | undefined> {
    const uuid = decodeId("whs", subscriptionId);
    if (uuid === undefined) return undefined;
    const { reader } = this.#settings.database;
    const row = await reader.row<SubscriptionRow>(subscriptionById, tenantOf(context), uuid);
    return row && subscriptionView(readSubscription(row));
  }

  async get(context: RequestContext, subscriptionId: string): Promise<WebhookSubscriptionType> {
    const subscription = await this.find(context, subscriptionId);
    if (!subscription) throw unknownSubscription();
    return subscription;
  }

  async create(context: RequestContext, input: CreateWebhookSubscriptionInput): Promise<WebhookSubscriptionType> {
    requireSameTenant(context, input.tenantId);
    const checkedInput = checkedSubscription(context, input);
    const attempt = () => this.#create(context, input, checkedInput);
    try {
      return await attempt();
    } catch (error) {
      // Another request has created the credential, so the second try finds it.
      if (isNameTaken(error)) return attempt();
      throw error;
    }
  }

  /** The Active subscriptions to these event types in the transaction's tenant. */
  async active({ execute, tenant }: Transaction, types: readonly string[]): Promise<ActiveSubscription[]> {
    const rows = await execute<ActiveRow>(activeOfTypes, [tenant.uuid, types]);
    return rows.map((row) => ({ ...readSubscription(row), endpointUrl: row.endpoint_url }));
  }

  /** Disables an Active subscription. Its waiting messages end as Skipped. */
  async disable(transaction: Transaction, subscriptionId: string, reason: DisabledReason): Promise<void> {
    const { execute, tenant, record } = transaction;
    announceInboundSources(transaction);
    const disabledRows = await execute<{ event_type: string; project_id: string | null }>(
      `update webhook_subscriptions set status = 'Disabled', disabled_reason = $3, version = version + 1
       where tenant_id = $1 and subscription_id = $2 and status = 'Active' returning event_type, project_id`,
      [tenant.uuid, decodeId("whs", subscriptionId), reason],
    );
    for (const { event_type, project_id: projectId } of disabledRows)
      record({
        type: "WebhookSubscriptionDisabled",
        subject: `webhook-subscriptions/${subscriptionId}`,
        projectId,
        data: { subscriptionId, eventType: event_type, status: "Disabled", reason },
      });
  }

  /**
   * Only this response contains the generated secret. The result stored for an Idempotency-Key does not, so a replay
   * has `signingSecret: null`. A caller that lost the first response rotates the secret or names another
   * `signingSecretRef`.
   */
  async #create(
    context: RequestContext,
    input: CreateWebhookSubscriptionInput,
    checkedInput: CheckedSubscription,
  ): Promise<WebhookSubscriptionType> {
    let result: { subscription: WebhookSubscriptionType; secret: string | null } | undefined;
    const answer = await idempotentMutation<WebhookSubscriptionType, Prepared>(this.#settings.database, context, {
      field: "createWebhookSubscription",
      arguments: input,
      prepare: async () => ({
        url: await this.#addressOf(context, checkedInput, input.signingSecretRef == null),
        facts: await this.#settings.facts.of(tenantOf(context).tenantId),
      }),
      commit: async (transaction, { facts, url }) => {
        const { em, tenant, record } = transaction;
        announceInboundSources(transaction);
        await requireRoomForWebhook(transaction, facts);
        const { signingSecretRef = null } = input;
        const signing = await signingCredential(transaction, this.#settings.credentials, input, checkedInput.direction);
        const subscription = em.create(WebhookSubscription, {
          tenantId: tenant.tenantId,
          subscriptionId: newId("whs"),
          projectId: input.projectId ?? null,
          ...checkedInput,
          signingSecretRef,
          credentialId: signing?.credentialId ?? null,
          status: input.active === false ? "Paused" : "Active",
          disabledReason: null,
          failingSince: null,
          exhaustedSince: null,
          warnedAt: null,
          ...firstHandshake(input.handshake === true),
          version: 1,
          createdAt: new Date(),
          deletedAt: null,
        });
        em.persist(subscription);
        const { subscriptionId, direction, providerId, eventType, status, projectId } = subscription;
        record({
          type: "WebhookSubscriptionCreated",
          subject: `webhook-subscriptions/${subscriptionId}`,
          projectId,
          data: { subscriptionId, direction, providerId, eventType, status, projectId },
        });
        if (input.handshake === true) await this.#settings.handshakes.begin(transaction, subscriptionId);
        const view = subscriptionView(subscription, url?.(subscriptionId) ?? null);
        result = { subscription: view, secret: signing?.shownSecret ?? null };
        return view;
      },
    });
    // A transaction that runs again may return another request's result, which has no secret.
    if (result?.subscription === answer) answer.signingSecret = result.secret;
    return answer;
  }

  /**
   * Refuses an endpoint that must not be called, and an Inbound subscription's provider that does not exist. Returns
   * what makes an Inbound subscription's delivery URL.
   */
  async #addressOf(
    context: RequestContext,
    { providerId, endpointUrl }: CheckedSubscription,
    hasNoSecret: boolean,
  ): Promise<Prepared["url"]> {
    if (hasNoSecret && providerId === null) throw secretMissing();
    if (endpointUrl !== null) await refuseBlocked(this.#settings, endpointUrl);
    if (providerId === null) return undefined;
    const { providers, publicUrl } = this.#settings;
    const provider = await providers.find(context, providerId);
    if (!provider || provider.status === "Retired")
      throw new DomainError("REFERENCE_NOT_FOUND", {
        detail: "The provider does not exist in this tenant, or it is Retired.",
        errors: [
          {
            pointer: "/input/providerId",
            code: "REFERENCE_NOT_FOUND",
            detail: "The value must be the ID of a provider of this tenant that is not Retired.",
          },
        ],
      });
    if (hasNoSecret && provider.driver.webhook?.scheme.kind !== "jws") throw secretMissing();
    return (subscription) => deliveryUrl(publicUrl, provider.key, { subscription });
  }
}
