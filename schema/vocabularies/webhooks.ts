import { type ValueOf, vocabulary } from "./vocabulary.js";

export const webhookSubscriptionStatuses = vocabulary(
  "WebhookSubscriptionStatus",
  "The states of a webhook subscription.",
  {
    Active: "Events are sent, or deliveries are accepted.",
    Paused: "A caller has paused the subscription.",
    Disabled: "The platform has disabled the subscription. Its disabledReason says why.",
    Deleted: "The subscription is deleted. Lists do not show it.",
  },
);
export type WebhookSubscriptionStatus = ValueOf<typeof webhookSubscriptionStatuses>;

export const webhookDirections = vocabulary(
  "WebhookSubscriptionDirection",
  "The directions of a webhook subscription.",
  {
    Outbound: "Sends the events of the platform to endpointUrl.",
    Inbound: "Verifies the deliveries of a provider with the named secret.",
  },
);
export type WebhookDirection = ValueOf<typeof webhookDirections>;

export const disabledReasons = vocabulary(
  "WebhookDisabledReason",
  "The reasons for which the platform disables a subscription.",
  {
    ReceiverGone: "The receiver has answered 410 Gone.",
    ReceiverDisabled: "The receiver has asked for it in its answer.",
    OnlyFailures: "All attempts have failed for a long time.",
    HandshakeFailed: "The receiver has not agreed to get webhooks.",
  },
);
export type DisabledReason = ValueOf<typeof disabledReasons>;

export const webhookHandshakeStatuses = vocabulary("WebhookHandshakeStatus", "The states of a handshake.", {
  Pending: "The receiver has not agreed yet. Nothing is sent.",
  Succeeded: "The receiver has agreed.",
});
export type HandshakeState = ValueOf<typeof webhookHandshakeStatuses>;

export const webhookOrderings = vocabulary(
  "WebhookOrdering",
  "The orders in which the webhooks of a subscription are sent.",
  {
    parallel: "Webhooks are sent at the same time.",
    fifo: "Webhooks whose events have the same partitionkey are sent one after the other. A failing one holds up only those.",
  },
);
export type WebhookOrdering = ValueOf<typeof webhookOrderings>;

export const signingKeyTypes = vocabulary("SigningKeyType", "The kinds of keys that sign webhooks.", {
  symmetric: "A secret (whsec_), which the answer shows once.",
  ed25519: "A key pair (whsk_), of which receivers read the public key.",
});
export type SigningKeyType = ValueOf<typeof signingKeyTypes>;

export const publicKeyAlgorithms = vocabulary(
  "WebhookKeyAlgorithm",
  "The algorithms of public keys that verify webhooks.",
  {
    ed25519: "Ed25519 (RFC 8032).",
  },
);
export type WebhookKeyAlgorithm = ValueOf<typeof publicKeyAlgorithms>;

export const webhookMessageStatuses = vocabulary(
  "WebhookMessageStatus",
  "The states of a message to a webhook subscription.",
  {
    Pending: "The message waits for its first attempt.",
    Delivering: "An attempt is being made.",
    RetryScheduled: "An attempt has failed, and the next one is scheduled.",
    Delivered: "The receiver has accepted the message.",
    Exhausted: "All attempts have failed.",
    Aborted: "The attempts have ended before their time, as after an answer that no repetition changes.",
    Skipped: "The message was not sent, because its subscription was not active or did not want it any more.",
  },
);
export type WebhookMessageStatus = ValueOf<typeof webhookMessageStatuses>;

export const attemptOutcomes = vocabulary("WebhookAttemptOutcome", "The outcomes of an attempt.", {
  Succeeded: "The receiver has answered with a status of success.",
  Failed: "The receiver has answered otherwise, or not at all.",
});
export type AttemptOutcome = ValueOf<typeof attemptOutcomes>;

export const attemptFailures = vocabulary("WebhookAttemptFailure", "The ways in which an attempt fails.", {
  HttpStatus: "The answer does not have a status of success.",
  Timeout: "The receiver has not answered in time.",
  ConnectFailed: "No connection could be made.",
  TlsFailed: "The certificate is not valid, or TLS has failed otherwise.",
  ConnectionReset: "The receiver has ended the connection before its answer.",
  ProtocolError: "The answer is not valid HTTP.",
  TargetBlocked: "The address of the receiver is not allowed.",
  SigningSecretUnavailable: "The secret that signs the message cannot be read.",
  InternalError: "A fault of the platform.",
});
export type AttemptFailure = ValueOf<typeof attemptFailures>;

export const webhookDeliveryStatuses = vocabulary("WebhookDeliveryStatus", "The states of a vendor's delivery.", {
  Accepted: "The delivery is stored and waits to be handled.",
  Processing: "The delivery is being handled.",
  Processed: "The delivery has become an event.",
  Ignored: "The delivery has no meaning for the platform.",
  Failed: "The last attempt to handle it has failed, and another one follows.",
  DeadLettered: "All attempts have failed. A replay tries again.",
});
export type WebhookDeliveryStatus = ValueOf<typeof webhookDeliveryStatuses>;

/** Media types are not GraphQL names, so these two lists are not enums. */
export const webhookContentTypes = ["application/json", "application/cloudevents+json"] as const;
export type WebhookContentType = (typeof webhookContentTypes)[number];
export const challengeMediaTypes = ["text/plain", "application/json"] as const;
