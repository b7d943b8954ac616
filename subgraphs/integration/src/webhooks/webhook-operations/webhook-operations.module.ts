import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { CredentialRotationService } from "../../credential-rotation/credential-rotation.service.js";
import { WebhookMessageService } from "../webhook-messages/webhook-message.service.js";
import { MessageResendResolver } from "./message-resend.resolver.js";
import { MessageResendService } from "./message-resend.service.js";
import { WebhookExampleResolver } from "./webhook-example.resolver.js";
import { WebhookExampleService } from "./webhook-example.service.js";
import { WebhookSecretRotationResolver } from "./webhook-secret-rotation.resolver.js";
import { WebhookSecretRotationService } from "./webhook-secret-rotation.service.js";
import { WebhookStatisticsResolver } from "./webhook-statistics.resolver.js";
import { WebhookStatisticsService } from "./webhook-statistics.service.js";

/** A tenant's work on its webhook subscriptions from day to day: rotations, resends and statistics. */
export const webhookOperations: SliceModule = {
  slice: "webhook-operations",
  start({ database }, services) {
    services.add(new WebhookSecretRotationService(database, services.get(CredentialRotationService)));
    services.add(new MessageResendService(database, services.get(WebhookMessageService)));
    services.add(new WebhookExampleService(database, services.get(WebhookMessageService)));
    services.add(new WebhookStatisticsService(database));
  },
  resolvers: (get) => [
    new WebhookSecretRotationResolver(get(WebhookSecretRotationService)),
    new MessageResendResolver(get(MessageResendService)),
    new WebhookExampleResolver(get(WebhookExampleService)),
    new WebhookStatisticsResolver(get(WebhookStatisticsService)),
  ],
  links: {
    "WebhookMessageResend.messageId": { to: "WebhookMessage" },
    "WebhookMessageResend.subscriptionId": { to: "WebhookSubscription" },
    "WebhookStatistics.subscriptionId": { to: "WebhookSubscription" },
  },
};
