import type { Envelope } from "@factory/runtime/messages/envelope";
import { continueTrace, traceparent } from "@factory/runtime/telemetry/trace";
import { signWebhook } from "../../ground/standard-webhooks/webhook-signature.js";
import { webhookBody } from "../webhook-messages/webhook-body.js";

const userAgent = "svc-webhooks/1";

export interface WebhookRequest {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Builds a webhook's signed HTTP request. */
export function webhookRequest(
  envelope: Envelope,
  options: {
    position: string;
    contentType: string;
    /** Further headers. They cannot replace the platform's own. */
    headers?: Readonly<Record<string, string>>;
    secrets: readonly string[];
    now: Date;
  },
): WebhookRequest {
  const body = JSON.stringify(webhookBody(envelope, options.position));
  const timestamp = Math.floor(options.now.getTime() / 1000);
  return {
    body,
    headers: {
      ...options.headers,
      "content-type": `${options.contentType}; charset=utf-8`,
      "user-agent": userAgent,
      "webhook-id": envelope.id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signWebhook({ id: envelope.id, timestamp, body, secrets: options.secrets }),
      "svc-schema-version": envelope.schemaversion,
      traceparent: traceparent(continueTrace(envelope.traceparent)),
    },
  };
}
