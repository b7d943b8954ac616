import { createHmac } from "node:crypto";

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
  const sorted = Object.keys(parameters).sort();
  const content = url + sorted.map((name) => name + (parameters[name] ?? "")).join("");
  return {
    raw: new URLSearchParams(parameters).toString(),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "i-twilio-idempotency-token": `twilio-${String(parameters["MessageSid"])}`,
      "x-twilio-signature": hmac("sha1", authToken, content).digest("base64"),
    },
  };
}
