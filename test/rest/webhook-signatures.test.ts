import { createPublicKey, randomBytes, verify } from "node:crypto";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { aCredential, credentialBecomes } from "../kit/credentials.js";
import { eventually } from "../kit/eventually.js";
import { aReceiver, type Received, type Receiver } from "../kit/receiver.js";
import { request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";

/** The DER header for an ed25519 public key (RFC 8410, section 4), which its 32 bytes follow. */
const spkiHeader = Buffer.from("302a300506032b6570032100", "hex");

let token: string;
let receiver: Receiver;

beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
});

beforeEach(async () => {
  receiver = await aReceiver();
});

afterEach(() => receiver.close());

// oxlint-disable-next-line typescript/no-explicit-any
async function ask(line: string, body?: unknown): Promise<any> {
  const answer = await request(line, { token, ...(body === undefined ? {} : { body }) });
  if (answer.status >= 300) throw new Error(`${line}: ${answer.text}`);
  return answer.body;
}

const subscribe = (signingSecretRef: string, changes: object = {}) =>
  ask("POST /webhooks/subscriptions", {
    ...{ eventType: "TemplateRegistered", endpointUrl: receiver.url, signingSecretRef },
    ...changes,
  });

/** Causes an event, and returns the webhook that tells about it. */
async function delivered(): Promise<Received> {
  const before = receiver.received.length;
  await ask("POST /v1/templates", { name: `signed-${randomBytes(6).toString("hex")}` });
  await eventually("the webhook arrives", () => receiver.received.length > before);
  return receiver.received[before] as Received;
}

const headersOf = ({ headers }: Received) =>
  Object.fromEntries(
    ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [name, String(headers[name])]),
  );

describe("a webhook with a symmetric secret", () => {
  /** As a receiver does that uses the Standard Webhooks library. */
  function accepts(secret: string, { body, ...webhook }: Received): boolean {
    try {
      return new Webhook(secret).verify(body, headersOf({ body, ...webhook })) !== undefined;
    } catch (error) {
      expect(error).toBeInstanceOf(WebhookVerificationError);
      return false;
    }
  }

  it.each(["application/json", "application/cloudevents+json"])(
    "is verified by the library standardwebhooks with the content type %s",
    async (contentType) => {
      const ref = `hooks-${randomBytes(4).toString("hex")}`;
      const { signingSecret } = await subscribe(ref, { contentType });
      const webhook = await delivered();
      expect(accepts(signingSecret, webhook)).toBe(true);
      expect(new Webhook(signingSecret).verify(webhook.body, headersOf(webhook))).toMatchObject({
        ...{ type: "TemplateRegistered", timestamp: expect.any(String), data: expect.anything() },
        id: webhook.headers["webhook-id"],
      });
      expect(accepts(signingSecret, { ...webhook, body: webhook.body.replace("signed-", "forged-") })).toBe(false);
      expect(accepts(`whsec_${randomBytes(32).toString("base64")}`, webhook)).toBe(false);
    },
  );

  it("is verified with the former secret and with the new one while the secret is rotated", async () => {
    const { subscriptionId, signingSecret: former } = await subscribe("rotated-hooks");
    const before = await delivered();
    const { credentialId, signingSecret: present } = await ask(
      `POST /webhooks/subscriptions/${subscriptionId}/rotate-secret`,
      { graceSeconds: 600 },
    );
    await credentialBecomes(token, credentialId, "Active");
    const during = await delivered();
    expect([accepts(former, before), accepts(present, before)]).toEqual([true, false]);
    expect([accepts(former, during), accepts(present, during)]).toEqual([true, true]);
  });
});

describe("a webhook with an ed25519 key", () => {
  const keysOf = async (subscriptionId: string): Promise<string[]> => {
    const { keys } = await ask(`GET /webhooks/subscriptions/${subscriptionId}/public-key`);
    return keys.map(({ algorithm, publicKey }: Record<string, string>) => {
      expect([algorithm, publicKey]).toEqual(["ed25519", expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/)]);
      return publicKey;
    });
  };

  /** As a receiver does that knows the specification and the published key, but not our code. */
  function accepts(keyText: string, webhook: Received): boolean {
    const raw = Buffer.from(keyText.slice("whpk_".length), "base64");
    const key = createPublicKey({ key: Buffer.concat([spkiHeader, raw]), format: "der", type: "spki" });
    const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures = "" } = headersOf(webhook);
    const content = Buffer.from(`${id}.${time}.${webhook.body}`);
    return signatures
      .split(" ")
      .some(
        (signature) =>
          signature.startsWith("v1a,") && verify(null, content, key, Buffer.from(signature.slice(4), "base64")),
      );
  }

  it("is verified with the published key, and with both keys while the key is rotated", async () => {
    const signingSecret = `whsk_${randomBytes(32).toString("base64")}`;
    const { credentialId, credentialRef } = await aCredential(token, { secret: { signingSecret } });
    const { subscriptionId } = await subscribe(credentialRef);
    const [former = "", ...others] = await keysOf(subscriptionId);
    expect(others).toEqual([]);
    const before = await delivered();
    expect(accepts(former, before)).toBe(true);
    expect(accepts(former, { ...before, body: before.body.replace("signed-", "forged-") })).toBe(false);
    await ask("POST /integrations/credentials/rotate", { credentialId });
    await credentialBecomes(token, credentialId, "Active");
    const [present = "", second] = await keysOf(subscriptionId);
    expect([second, present === former]).toEqual([former, false]);
    const during = await delivered();
    expect([accepts(former, during), accepts(present, during)]).toEqual([true, true]);
    expect([accepts(former, before), accepts(present, before)]).toEqual([true, false]);
  });
});
