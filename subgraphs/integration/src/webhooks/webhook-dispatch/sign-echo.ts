import { createEvent } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type WebhookRequest, webhookRequest } from "./webhook-request.js";

/** Signs a test delivery, which is not sent, as real deliveries are signed. */
export function signEcho(tenantId: string, secrets: readonly string[], now: Date): WebhookRequest {
  const event = { type: "CredentialRotationStarted", subject: "credentials/echo", data: { echo: true } } as const;
  const envelope = createEvent(event, tenantId, { trace: continueTrace(undefined) });
  return webhookRequest(envelope, { position: "0", contentType: "application/json", secrets, now });
}
