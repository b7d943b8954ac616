import { createHmac, type KeyObject, sign } from "node:crypto";
import { signatureOf } from "./receiver.js";

/** A request as a vendor sends it. */
export interface SentDelivery {
  readonly headers: Record<string, string>;
  readonly raw: string;
}

const hmac = (algorithm: string, secret: string, content: string) => createHmac(algorithm, secret).update(content);
const nowSeconds = () => Math.floor(Date.now() / 1000);

/** As GitHub documents it: "Validating webhook deliveries". */
export function fromGithub(secret: string, id: string, event: string, payload: unknown): SentDelivery {
  const raw = JSON.stringify(payload);
  return {
    raw,
    headers: {
      "content-type": "application/json",
      "x-github-delivery": id,
      "x-github-event": event,
      "x-hub-signature-256": `sha256=${hmac("sha256", secret, raw).digest("hex")}`,
    },
  };
}

/** As Stripe documents it: "Verify webhook signatures manually". */
export function fromStripe(secret: string, event: Record<string, unknown>, time = nowSeconds()): SentDelivery {
  const raw = JSON.stringify(event, null, 2);
  const signature = hmac("sha256", secret, `${time}.${raw}`).digest("hex");
  return {
    raw,
    headers: { "content-type": "application/json; charset=utf-8", "stripe-signature": `t=${time},v1=${signature}` },
  };
}

/** As Slack documents it: "Verifying requests from Slack". */
export function fromSlack(secret: string, raw: string, type = "application/json", time = nowSeconds()): SentDelivery {
  const signature = hmac("sha256", secret, `v0:${time}:${raw}`).digest("hex");
  return {
    raw,
    headers: {
      "content-type": type,
      "x-slack-request-timestamp": String(time),
      "x-slack-signature": `v0=${signature}`,
    },
  };
}

/** As Twilio documents it: "Validating signatures from Twilio". `url` is the address that Twilio calls. */
export function fromTwilio(authToken: string, url: string, parameters: Record<string, string>): SentDelivery {
  const sortedNames = Object.keys(parameters).sort();
  const content = url + sortedNames.map((name) => name + (parameters[name] ?? "")).join("");
  return {
    raw: new URLSearchParams(parameters).toString(),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "i-twilio-idempotency-token": `twilio-${String(parameters["MessageSid"])}`,
      "x-twilio-signature": hmac("sha1", authToken, content).digest("base64"),
    },
  };
}

/** As SendGrid documents it: "Getting started with the Event Webhook security features". */
export function fromSendgrid(key: KeyObject, raw: string, time = nowSeconds(), algorithm = "sha256"): SentDelivery {
  return {
    raw,
    headers: {
      "content-type": "application/json",
      "x-twilio-email-event-webhook-timestamp": String(time),
      "x-twilio-email-event-webhook-signature": sign(algorithm, Buffer.from(time + raw), key).toString("base64"),
    },
  };
}

/** As Standard Webhooks specifies it. */
export function byStandardWebhooks(secret: string, id: string, raw: string, time = nowSeconds()): SentDelivery {
  const headers = { "content-type": "application/json", "webhook-id": id, "webhook-timestamp": String(time) };
  return { raw, headers: { ...headers, "webhook-signature": signatureOf(secret, { headers, body: raw }) } };
}

/** As GitLab documents it: its secret token is sent as it is. */
export function fromGitlab(secret: string, id: string, raw: string): SentDelivery {
  return {
    raw,
    headers: {
      "content-type": "application/json",
      "x-gitlab-event": "Push Hook",
      "x-gitlab-event-uuid": id,
      "x-gitlab-token": secret,
    },
  };
}

/** A merge request's event, as GitLab documents it. */
export function mergeRequestFromGitlab(secret: string, id: string, payload: unknown): SentDelivery {
  const { headers, raw } = fromGitlab(secret, id, JSON.stringify(payload));
  return { raw, headers: { ...headers, "x-gitlab-event": "Merge Request Hook" } };
}
