import { maintenance } from "@factory/runtime/jobs/definitions/job-definition";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { CredentialService } from "../../credentials/credentials/credential.service.js";
import { egressService } from "../../ground/egress/egress-service.js";
import { ProviderService } from "../../providers/providers/provider.service.js";
import { FailureStreaks } from "./failure-streaks.js";
import { HandshakeStart, Handshakes, handshakeJob, handshakeRows } from "./handshake/handshakes.js";
import { PublicKeyResolver } from "./public-key.resolver.js";
import { PublicKeys } from "./public-keys.js";
import { SubscriptionChangeListeners } from "./subscription-change-listeners.js";
import { WebhookSubscription } from "./webhook-subscription.entity.js";
import { WebhookSubscriptionResolver } from "./webhook-subscription.resolver.js";
import { WebhookSubscriptionService } from "./webhook-subscription.service.js";
import { readWebhookSubscriptions } from "./webhook-subscription.type.js";
import { WebhookSubscriptionChangeService } from "./webhook-subscription-change.service.js";
import { WebhookSubscriptionLifecycleResolver } from "./webhook-subscription-lifecycle.resolver.js";
import { WebhookSubscriptionLifecycleService } from "./webhook-subscription-lifecycle.service.js";
import { WebhookSubscriptionListService } from "./webhook-subscription-list.service.js";
import { WebhookSubscriptionStates } from "./webhook-subscription-moves.js";

export interface WebhookModuleSettings {
  /** Webhook endpoints must be https. */
  readonly httpsOnly?: boolean;
  /** The address that vendors use for deliveries, without a slash at its end. */
  readonly publicUrl?: string;
}

/** The tenants' endpoints that get events as webhooks. */
export const webhookSubscriptions: SliceModule<WebhookModuleSettings> = {
  slice: "webhook-subscriptions",
  entities: [WebhookSubscription],
  foreignKeys: {
    "webhook_subscriptions.credential_id": {
      to: "credentials.credential_id",
      onDelete: "no action",
      why: "Nothing is sent unsigned.",
    },
    "webhook_subscriptions.provider_id": {
      to: "providers.provider_id",
      onDelete: "no action",
      why: "The secret verifies deliveries of this provider only.",
    },
  },
  events: [
    "WebhookSubscriptionCreated",
    "WebhookSubscriptionPaused",
    "WebhookSubscriptionResumed",
    "WebhookSubscriptionDisabled",
    "WebhookSubscriptionDeleted",
  ],
  jobs: [handshakeJob],
  waitingRows: [handshakeRows],
  start({ database, cursors, settings, jobs, work }, services) {
    const { httpsOnly = false, publicUrl = "http://127.0.0.1:4000" } = settings;
    const credentials = services.get(CredentialService);
    const egress = services.get(egressService);
    const facts = services.get(TenantFacts);
    const providers = services.get(ProviderService);
    const handshakeStart = new HandshakeStart(jobs);
    const parts = { database, credentials, egress, httpsOnly, facts, providers, publicUrl, handshakes: handshakeStart };
    const subscriptions = services.add(new WebhookSubscriptionService(parts));
    const disable = (transaction: Transaction, subscriptionId: string) =>
      subscriptions.disable(transaction, subscriptionId, "HandshakeFailed");
    const handshakes = new Handshakes({ database, egress, jobs, publicUrl, disable });
    work(handshakeJob, (payload) => handshakes.attempt(payload), maintenance);
    services.add(new FailureStreaks(subscriptions));
    services.add(new PublicKeys(database, credentials, subscriptions));
    services.add(new WebhookSubscriptionListService(database, cursors));
    const listeners = services.add(new SubscriptionChangeListeners());
    const states = new WebhookSubscriptionStates(listeners);
    services.add(new WebhookSubscriptionChangeService({ ...parts, states, listeners }));
    services.add(new WebhookSubscriptionLifecycleService({ database, facts, states }));
  },
  resolvers: (get) => [
    new WebhookSubscriptionResolver(get(WebhookSubscriptionService), get(WebhookSubscriptionListService)),
    new WebhookSubscriptionLifecycleResolver(
      get(WebhookSubscriptionChangeService),
      get(WebhookSubscriptionLifecycleService),
    ),
    new PublicKeyResolver(get(PublicKeys)),
  ],
  links: {
    "WebhookPublicKeys.subscriptionId": { to: "WebhookSubscription" },
    "WebhookSubscription.providerId": { to: "Provider" },
  },
  references(get) {
    const service = get(WebhookSubscriptionService);
    return {
      WebhookSubscription: {
        id: { prefix: "whs", field: "subscriptionId" },
        auth: readWebhookSubscriptions,
        resolve: ({ subscriptionId = "" }, context) => service.find(context, subscriptionId),
      },
    };
  },
};
