import { maintenance } from "@factory/runtime/jobs/definitions/job-definition";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { SubscriptionChangeListeners } from "../webhook-subscriptions/subscription-change-listeners.js";
import { WebhookSubscriptionService } from "../webhook-subscriptions/webhook-subscription.service.js";
import { readWebhookSubscriptions } from "../webhook-subscriptions/webhook-subscription.type.js";
import { deletedSubscriptions } from "./deleted-subscriptions-statement.js";
import { MessageLogResolver } from "./message-log.resolver.js";
import { MessageLogService } from "./message-log.service.js";
import { MessageSettlement, settleMessagesJob } from "./message-settlement.js";
import { tenantMessageRetention } from "./tenant-retention-statement.js";
import { WebhookAttempt } from "./webhook-attempt.entity.js";
import { WebhookMessage } from "./webhook-message.entity.js";
import { WebhookMessageResolver } from "./webhook-message.resolver.js";
import { messageRetention } from "./webhook-message.retention.js";
import { WebhookMessageService } from "./webhook-message.service.js";

export interface WebhookMessageSettings {
  /** How long webhook messages and their attempts are kept after they have ended. The default is 30, the least is 1. */
  readonly webhookRetentionDays?: number;
}

/** The webhooks to be sent and their attempts. */
export const webhookMessages: SliceModule<WebhookMessageSettings> = {
  slice: "webhook-messages",
  entities: [WebhookMessage, WebhookAttempt],
  foreignKeys: {
    "webhook_messages.subscription_id": {
      to: "webhook_subscriptions.subscription_id",
      onDelete: "no action",
      why: "The subscription says where the message goes; its messages are deleted before it, in batches.",
    },
    "webhook_messages.event_id": {
      to: null,
      why: "The event log deletes an event after 7 days; the message keeps its own copy.",
    },
    "webhook_messages.replay_id": { to: null, why: "History: the message may be kept for longer than the run." },
    "webhook_attempts.subscription_id": {
      to: null,
      why: "The message has the key. A second one would lock the subscription for each attempt.",
    },
    "webhook_attempts.message_id": {
      to: "webhook_messages.message_id",
      onDelete: "cascade",
      why: "Attempts are shown and deleted together with their message.",
    },
  },
  jobs: [settleMessagesJob],
  start({ database, cursors, jobs, work }, services) {
    const subscriptions = services.get(WebhookSubscriptionService);
    services.add(new WebhookMessageService(database, subscriptions));
    services.add(new MessageLogService({ database, cursors, subscriptions }));
    const settlement = new MessageSettlement(database, jobs);
    services
      .get(SubscriptionChangeListeners)
      .add((transaction, subscription) => settlement.request(transaction, subscription));
    work(settleMessagesJob, (payload, attempt) => settlement.settle(payload, attempt), maintenance);
  },
  resolvers: (get) => [
    new WebhookMessageResolver(get(WebhookMessageService), get(MessageLogService)),
    new MessageLogResolver(get(MessageLogService)),
  ],
  links: {
    "WebhookMessage.eventId": { to: null, why: "The field body shows the event." },
    "WebhookMessage.subscriptionId": { to: "WebhookSubscription" },
    "WebhookAttempt.messageId": { to: "WebhookMessage" },
  },
  references(get) {
    const log = get(MessageLogService);
    return {
      WebhookMessage: {
        id: { prefix: "msg", field: "messageId" },
        auth: readWebhookSubscriptions,
        resolve: ({ messageId = "" }, context) => log.find(context, messageId),
      },
      WebhookAttempt: {
        id: { prefix: "att", field: "attemptId" },
        auth: readWebhookSubscriptions,
        resolve: ({ attemptId = "" }, context) => log.findAttempt(context, attemptId),
      },
    };
  },
  retention: ({ webhookRetentionDays = 30 }) => [
    messageRetention(webhookRetentionDays),
    tenantMessageRetention(webhookRetentionDays),
    deletedSubscriptions(webhookRetentionDays),
  ],
};
