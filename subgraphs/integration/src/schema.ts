import { jobResolver } from "@factory/runtime/jobs/job.resolver";
import type { JobService } from "@factory/runtime/jobs/job.service";
import { buildSubgraph, type Subgraph } from "@factory/runtime/subgraph/build-subgraph";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { CredentialResolver } from "./credentials/credential.resolver.js";
import type { CredentialService } from "./credentials/credential.service.js";
import type { EventFeedService } from "./events/event-feed.service.js";
import { eventsResolver } from "./events/events.resolver.js";
import { PlatformEventResolver } from "./events/platform-event.resolver.js";
import { EventSubjects, entityRules } from "./events/subject-references.js";
import { ApiClientType } from "./providers/api-client.type.js";
import { ProviderResolver } from "./providers/provider.resolver.js";
import type { ProviderService } from "./providers/provider.service.js";
import { ProviderLifecycleResolver } from "./providers/provider-lifecycle.resolver.js";
import type { ProviderLifecycleService } from "./providers/provider-lifecycle.service.js";
import type { ProviderListService } from "./providers/provider-list.service.js";
import type { WebhookMessageService } from "./webhook-messages/webhook-message.service.js";
import { WebhookSubscriptionResolver } from "./webhook-subscriptions/webhook-subscription.resolver.js";
import type { WebhookSubscriptionService } from "./webhook-subscriptions/webhook-subscription.service.js";

export interface IntegrationServices {
  readonly jobs: JobService;
  readonly providers: ProviderService;
  readonly providerLists: ProviderListService;
  readonly providerLifecycle: ProviderLifecycleService;
  readonly credentials: CredentialService;
  readonly subscriptions: WebhookSubscriptionService;
  readonly messages: WebhookMessageService;
  readonly feeds: EventFeedService;
}

/** The federated schema over its services. Printing its SDL calls none of them. */
export function integrationSchema(services: IntegrationServices, logger: Logger): Subgraph {
  const { providers, credentials, subscriptions, messages, feeds } = services;
  return buildSubgraph({
    logger,
    resolvers: [
      jobResolver("integration", services.jobs),
      new ProviderResolver(providers, services.providerLists),
      new ProviderLifecycleResolver(services.providerLifecycle),
      new CredentialResolver(credentials),
      new WebhookSubscriptionResolver(subscriptions, messages),
      new PlatformEventResolver(new EventSubjects({ providers, credentials, subscriptions })),
      eventsResolver(feeds),
    ],
    types: [ApiClientType],
    references: {
      Provider: {
        auth: entityRules.Provider,
        resolve: async ({ providerId }, context) => (await providers.find(context, providerId ?? "")) ?? null,
      },
      ApiClient: {
        auth: entityRules.Provider,
        resolve: async ({ apiClientId }, context) =>
          (await providers.findApiClient(context, apiClientId ?? "")) ?? null,
      },
      Credential: {
        auth: entityRules.Credential,
        resolve: async ({ credentialId }, context) => (await credentials.find(context, credentialId ?? "")) ?? null,
      },
      WebhookSubscription: {
        auth: entityRules.WebhookSubscription,
        resolve: async ({ subscriptionId }, context) =>
          (await subscriptions.find(context, subscriptionId ?? "")) ?? null,
      },
    },
  });
}
