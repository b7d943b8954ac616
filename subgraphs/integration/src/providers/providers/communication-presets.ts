import { presetCommands, presetReports } from "./preset-commands.js";

const apiClient = "http-json";

/** The presets for vendors by which people are told something. */
export const communicationPresets = [
  {
    name: "slack",
    displayName: "Slack",
    category: "Communication",
    authModel: "BearerToken",
    apiClient,
    capabilities: ["message.send", "channels.read", "webhooks.receive"],
    baseUrl: "https://slack.com/api",
    driver: {
      probe: { method: "POST", path: "/auth.test", expect: { value: "body:/ok", equals: "true" } },
      oauth2: {
        tokenUrl: "https://slack.com/api/oauth.v2.access",
        authorizationUrl: "https://slack.com/oauth/v2/authorize",
        clientAuthentication: "client_secret_post",
        scopes: ["chat:write"],
        scopeSeparator: ",",
      },
      webhook: {
        scheme: {
          kind: "hmac",
          algorithm: "sha256",
          header: "x-slack-signature",
          encoding: "hex",
          prefix: "v0=",
          timestampHeader: "x-slack-request-timestamp",
          signedContent: "v0:{timestamp}:{body}",
        },
        deliveryId: ["body:/event_id", "form:trigger_id"],
        eventName: ["body:/event/type", "body:/type", "form:command"],
        account: "body:/team_id",
        formPayload: "payload",
        challenge: { when: "body:/type", equals: "url_verification", answer: "body:/challenge" },
        revokedEvents: ["tokens_revoked", "app_uninstalled"],
      },
    },
  },
  {
    name: "twilio",
    displayName: "Twilio",
    category: "Communication",
    authModel: "Basic",
    apiClient,
    capabilities: ["sms.send", "webhooks.receive"],
    baseUrl: "https://api.twilio.com",
    driver: {
      probe: { method: "GET", path: "/2010-04-01/Accounts.json?PageSize=1" },
      commands: presetCommands.twilio,
      webhook: {
        scheme: {
          kind: "hmac",
          algorithm: "sha1",
          header: "x-twilio-signature",
          encoding: "base64",
          signedContent: "{url}{form}",
          bodyHashParameter: "bodySHA256",
        },
        deliveryId: [
          "header:i-twilio-idempotency-token",
          "form:MessageSid & form:SmsStatus",
          "form:MessageSid & form:MessageStatus",
          "form:MessageSid",
          "form:CallSid & form:CallStatus",
          "form:CallSid",
        ],
        eventName: ["text:call & form:CallStatus", "text:message"],
        action: "form:SmsStatus",
        account: "form:AccountSid",
        reports: presetReports.twilio,
      },
    },
  },
  {
    name: "sendgrid",
    displayName: "SendGrid",
    category: "Communication",
    authModel: "ApiKey",
    apiClient,
    capabilities: ["email.send", "webhooks.receive"],
    baseUrl: "https://api.sendgrid.com",
    driver: {
      probe: { method: "GET", path: "/v3/scopes" },
      commands: presetCommands.sendgrid,
      webhook: {
        scheme: {
          kind: "ecdsa",
          header: "x-twilio-email-event-webhook-signature",
          timestampHeader: "x-twilio-email-event-webhook-timestamp",
          signedContent: "{timestamp}{body}",
        },
        deliveryId: ["body:/sg_event_id"],
        eventName: ["body:/event"],
        reports: presetReports.sendgrid,
        batch: true,
      },
    },
  },
] as const;
