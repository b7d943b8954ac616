import { aConnection } from "../kit/connections.js";
import { aCredential } from "../kit/credentials.js";
import { eventually } from "../kit/eventually.js";
import { anInboundSource, asSpecified, aVendorSecret } from "../kit/inbound-sources.js";
import { aProvider } from "../kit/providers.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";
import { aVendor, type Vendor } from "../kit/vendor.js";
import { fromGithub, fromSlack, fromStripe, type SentDelivery } from "../kit/vendor-senders.js";

let vendor: Vendor;
let token: string;
let credentialRef: string;

const unique = (prefix: string) => `${prefix}-${Math.random().toString(36).slice(2)}`;
const send = (path: string, { headers, raw }: SentDelivery) => request(`POST ${path}`, { headers, raw });
const bodyOf = async <T>(path: string) => (await request<T>(`GET ${path}`, { token })).body;

interface StoredDelivery {
  readonly connectionId: string | null;
  readonly eventName: string;
}

beforeAll(async () => {
  vendor = await aVendor();
  vendor.accepted.add("key");
  token = await (await aTenant()).tokenWith();
  ({ credentialRef } = await aCredential(token, { kind: "BearerToken", secret: { token: "key" } }));
});

afterAll(() => vendor.close());

/** Members for a provider whose API is this suite's vendor. */
const ownApi = () => ({ baseUrl: vendor.baseUrl, driver: { probe: { method: "GET", path: "/me" } } });

/** A connection for an account at the vendor, with its own secret for deliveries if one is given. */
async function aConnectionOf(providerId: string, accountId: string, secret?: string): Promise<string> {
  const material = { kind: "VendorWebhookSecret", secret: { secret } };
  const webhookSecretRef = secret === undefined ? undefined : (await aCredential(token, material)).credentialRef;
  const configuration = { accountId, ...(webhookSecretRef && { webhookSecretRef }) };
  return aConnection(token, providerId, { authMode: "BearerToken", credentialRef, configuration });
}

describe("a delivery that is signed with the webhookSecretRef of a connection", () => {
  it("belongs to this connection, without a hint and with the hint of the connection or its account", async () => {
    const key = unique("hooked");
    const providerId = await aProvider(token, { key, preset: "github", authModel: "BearerToken", ...ownApi() });
    const [secret, otherSecret] = [aVendorSecret(), aVendorSecret()];
    const connectionId = await aConnectionOf(providerId, "acct-1", secret);
    const otherId = await aConnectionOf(providerId, "acct-2", otherSecret);
    const deliveryFrom = (by: string, payload: unknown = {}) => fromGithub(by, unique("id"), "push", payload);
    const path = `/webhooks/deliveries/${key}`;
    const connectionOf = async (query: string, by: string) => {
      const answer = await send(path + query, deliveryFrom(by));
      if (answer.status !== 202) return refusal(answer);
      return (await bodyOf<StoredDelivery>(`/integrations/deliveries/${String(answer.body["deliveryId"])}`))
        .connectionId;
    };
    for (const query of ["", `?connection=${connectionId}`, "?account=acct-1"])
      expect([query, await connectionOf(query, secret)]).toEqual([query, connectionId]);
    expect(await connectionOf("", otherSecret)).toBe(otherId);
    for (const query of [`?connection=${otherId}`, "?account=acct-3", "?connection=con_nothing"])
      expect([query, await connectionOf(query, secret)]).toEqual([query, "401 SIGNATURE_INVALID"]);
    expect(await connectionOf("", aVendorSecret())).toBe("401 SIGNATURE_INVALID");

    const body = { providerDeliveryId: unique("id"), eventName: "push", payload: "x".repeat(65 * 1024) };
    const large = asSpecified({ key, secret }, body);
    expect(refusal(await send("/webhooks/deliveries", large))).toBe("413 PAYLOAD_TOO_LARGE");
    expect((await send("/webhooks/deliveries?account=acct-1", large)).status).toBe(202);
    expect((await send(`/webhooks/deliveries?connection=${connectionId}`, large)).status).toBe(202);
  });
});

describe("a delivery that tells that a credential was revoked", () => {
  it.each([
    [
      "github",
      "77",
      (secret: string, installation: string) => {
        const payload = { action: "deleted", installation: { id: Number(installation) || 0 } };
        return fromGithub(secret, unique("id"), "installation", payload);
      },
    ],
    [
      "slack",
      "T1",
      (secret: string, team: string) => {
        const event = {
          type: "event_callback",
          event_id: unique("Ev"),
          team_id: team,
          event: { type: "tokens_revoked" },
        };
        return fromSlack(secret, JSON.stringify(event));
      },
    ],
    [
      "stripe",
      "acct_1",
      (secret: string, account: string) =>
        fromStripe(secret, { id: unique("evt"), type: "account.application.deauthorized", account, data: {} }),
    ],
  ])("of %s finds the connections of its account, which need a new authorization", async (preset, account, sign) => {
    const provider = { authModel: "BearerToken", ...ownApi() };
    const { secret, deliveryUrl, providerId } = await anInboundSource(token, { preset, provider });
    const ownConnection = await aConnectionOf(providerId, account);
    const other = await aConnectionOf(providerId, "another account");
    const { pathname, search } = new URL(deliveryUrl);
    const stateOf = async (connectionId: string) => {
      const { status, statusReason } = await bodyOf<Record<string, string | null>>(
        `/integrations/connections/${connectionId}`,
      );
      return [status, statusReason];
    };
    const unknown = await send(pathname + search, sign(secret, "nobody"));
    expect(unknown.status).toBe(202);
    const { body } = await send(pathname + search, sign(secret, account));
    expect(await bodyOf(`/integrations/deliveries/${String(body["deliveryId"])}`)).toMatchObject({
      connectionId: ownConnection,
    });
    await eventually(
      "the connection needs a new authorization",
      async () => (await stateOf(ownConnection))[0] !== "Active",
    );
    expect(await stateOf(ownConnection)).toEqual(["AuthorizationRequired", "CredentialRevokedByVendor"]);
    expect(await stateOf(other)).toEqual(["Active", null]);
    expect(await bodyOf(`/integrations/deliveries/${String(unknown.body["deliveryId"])}`)).toMatchObject({
      connectionId: null,
    });
  });
});
