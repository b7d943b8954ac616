import { createHmac } from "node:crypto";
import { request } from "./request.js";
import type { SentDelivery } from "./vendor-senders.js";

/** A vendor's provider with an Inbound subscription. */
export interface InboundSource {
  readonly key: string;
  readonly secret: string;
  readonly subscriptionId: string;
  readonly deliveryUrl: string;
  readonly providerId: string;
}

interface WantedSource {
  readonly preset?: string;
  readonly secret?: string;
  readonly key?: string;
  /** The provider's other members. */
  readonly provider?: object;
  /** The address of a platform that the other suites do not use. */
  readonly base?: string | undefined;
}

const unique = (prefix: string) => `${prefix}-${Math.random().toString(36).slice(2)}`;

/** A secret as a vendor shows it. */
export const aVendorSecret = () => unique("secret-of-a-vendor");

/** Registers a provider with a preset, and subscribes to its deliveries. */
export async function anInboundSource(
  token: string,
  { preset = "webhook", secret = aVendorSecret(), key = unique(preset), provider, base }: WantedSource = {},
): Promise<InboundSource> {
  const post = async (path: string, body: unknown) => {
    const answer = await request<Record<string, string>>(`POST ${path}`, { token, body, ...(base && { base }) });
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.text}`);
    return answer.body;
  };
  const common = { displayName: preset, category: "Other", authModel: "ApiKey" };
  const providerBody = { ...common, key, preset, ...provider };
  const { providerId = "" } = await post("/integrations/providers", providerBody);
  const name = unique("inbound");
  await post("/integrations/credentials", { name, kind: "VendorWebhookSecret", secret: { secret } });
  const subscriptionBody = { direction: "Inbound", providerId, signingSecretRef: `secret://${name}` };
  const { subscriptionId = "", deliveryUrl = "" } = await post("/webhooks/subscriptions", subscriptionBody);
  return { key, secret, subscriptionId, deliveryUrl, providerId };
}

/** A delivery as the specification shows it: X-Hub-Signature-256 over the body. */
export function asSpecified({ key, secret }: Pick<InboundSource, "key" | "secret">, delivery: unknown): SentDelivery {
  const raw = JSON.stringify(delivery);
  const signature = createHmac("sha256", secret).update(raw).digest("hex");
  return {
    raw,
    headers: {
      "content-type": "application/json",
      "x-svc-provider": key,
      "x-hub-signature-256": `sha256=${signature}`,
    },
  };
}
