import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { SignedEcho } from "../../credential-rotation/signed-echo.js";
import { CredentialService } from "../../credentials/credentials/credential.service.js";
import { egressService } from "../../ground/egress/egress-service.js";
import { WebhookMessageService } from "../webhook-messages/webhook-message.service.js";
import { FailureStreaks } from "../webhook-subscriptions/failure-streaks.js";
import { WebhookSubscriptionService } from "../webhook-subscriptions/webhook-subscription.service.js";
import { AttemptRecords } from "./attempt-records.js";
import { DeliveryTargets } from "./delivery-target.js";
import { MessageClaims } from "./message-claims.js";
import { OverdueMessages } from "./overdue-messages.js";
import { defaultRetryDelaysMs } from "./retry-schedule.js";
import { signEcho } from "./sign-echo.js";
import { WebhookBreakerRow } from "./stored-pauses/webhook-breaker.entity.js";
import { breakerRetention, paceRetention } from "./stored-pauses/webhook-breaker.retention.js";
import { WebhookPaceRow } from "./stored-pauses/webhook-pace.entity.js";
import { WebhookDispatcher } from "./webhook-dispatcher.js";

export interface WebhookDispatchSettings {
  /** The delay before each webhook attempt; there are as many attempts as delays. */
  readonly retryDelaysMs?: readonly number[];
  /** A webhook attempt's time limit, by default and at most 15 s. */
  readonly attemptTimeoutMs?: number;
}

const defaultAttemptTimeoutMs = 15_000;

/** Earlier releases had a job for each attempt. Now the messages themselves say when they are due. */
const formerAttemptQueue = "integration.webhook-attempt";

/** Sends webhooks: claims, signatures, retries and circuit breakers. */
export const webhookDispatch: SliceModule<WebhookDispatchSettings> = {
  slice: "webhook-dispatch",
  entities: [WebhookBreakerRow, WebhookPaceRow],
  foreignKeys: {
    "webhook_paces.subscription_id": {
      to: null,
      why: "A pace is deleted a day after its last use, and a subscription without messages uses it no more.",
    },
  },
  events: ["WebhookDeliveryFailing", "WebhookDeliveryRecovered", "WebhookDeliveryExhausted", "WebhookDeliveryAborted"],
  async start(
    { database, jobs, workers, connections, logger, settings, sweep, backlog, onStarted, onStop, onClose },
    services,
  ) {
    await jobs.remove(formerAttemptQueue);
    const claims = new MessageClaims(connections.worker, logger);
    backlog(claims);
    onClose(() => claims.close());
    const dispatcher = new WebhookDispatcher({
      claims,
      targets: new DeliveryTargets(database, services.get(CredentialService)),
      records: new AttemptRecords(
        database,
        services.get(WebhookSubscriptionService),
        services.get(FailureStreaks),
        logger,
      ),
      egress: services.get(egressService),
      retryDelaysMs: settings.retryDelaysMs ?? defaultRetryDelaysMs,
      attemptTimeoutMs: Math.min(settings.attemptTimeoutMs ?? defaultAttemptTimeoutMs, defaultAttemptTimeoutMs),
      logger,
    });
    services.get(SignedEcho).use(signEcho);
    onStop(() => dispatcher.stop());
    onClose(() => dispatcher.close());
    sweep(new OverdueMessages(workers, dispatcher));
    services.get(WebhookMessageService).onDue((lanes, keys) => dispatcher.wake(lanes, keys));
    onStarted(() => dispatcher.start());
  },
  retention: () => [breakerRetention, paceRetention],
};
