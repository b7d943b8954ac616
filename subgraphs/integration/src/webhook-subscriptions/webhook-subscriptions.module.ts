import { maintenance } from "@factory/runtime/jobs/definitions/job-definition";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { CredentialService } from "../credentials/credential.service.js";
import { egressService } from "../egress/egress-service.js";
import { ProviderService } from "../providers/provider.service.js";
import { FailureStreaks } from "./failure-streaks.js";
import { HandshakeStart, Handshakes, handshakeJob, handshakeRows } from "./handshake/handshakes.js";
import { PublicKeyResolver } from "./public-key.resolver.js";
import { PublicKeys } from "./public-keys.js";
import { WebhookSubscription } from "./webhook-subscription.entity.js";
import { WebhookSubscriptionResolver } from "./webhook-subscription.resolver.js";
import { WebhookSubscriptionService } from "./webhook-subscription.service.js";
import { readWebhookSubscriptions } from "./webhook-subscription.type.js";

export interface WebhookSubscriptionSettings {
  /** Webhook endpoints must be https. */
  readonly httpsOnly?: boolean;
  /** The address that vendors use for deliveries, without a slash at its end. */
  readonly publicUrl?: string;
}

/** The endpoints of tenants that get events as webhooks. */
export const webhookSubscriptions: SliceModule<WebhookSubscriptionSettings> = {
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
  events: ["WebhookSubscriptionCreated", "WebhookSubscriptionDisabled"],
  jobs: [handshakeJob],
  waitingRows: [handshakeRows],
  start({ database, settings, jobs, work }, services) {
    const { httpsOnly = false, publicUrl = "http://127.0.0.1:4000" } = settings;
    const credentials = services.get(CredentialService);
    const egress = services.get(egressService);
    const facts = services.get(TenantFacts);
    const providers = services.get(ProviderService);
    const subscriptions = services.add(
      new WebhookSubscriptionService({
        ...{ database, credentials, egress, httpsOnly, facts, providers, publicUrl },
        handshakes: new HandshakeStart(jobs),
      }),
    );
    const disable = (transaction: Transaction, subscriptionId: string) =>
      subscriptions.disable(transaction, subscriptionId, "HandshakeFailed");
    const handshakes = new Handshakes({ database, egress, jobs, publicUrl, disable });
    work(handshakeJob, (payload) => handshakes.attempt(payload), maintenance);
    services.add(new FailureStreaks(subscriptions));
    services.add(new PublicKeys(database, credentials, subscriptions));
  },
  resolvers: (get) => [
    new WebhookSubscriptionResolver(get(WebhookSubscriptionService)),
    new PublicKeyResolver(get(PublicKeys)),
  ],
  references(get) {
    const service = get(WebhookSubscriptionService);
    return {
      WebhookSubscription: {
        auth: readWebhookSubscriptions,
        resolve: ({ subscriptionId = "" }, context) => service.find(context, subscriptionId),
      },
    };
  },
};
