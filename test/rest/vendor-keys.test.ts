import { eventually } from "../kit/eventually.js";
import { aJwsVendor, type JwsVendor } from "../kit/jws-vendor.js";
import { refusal } from "../kit/refusal.js";
import { type Json, request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";

let vendor: JwsVendor;

const unique = (prefix: string) => `${prefix}-${Math.random().toString(36).slice(2)}`;

beforeAll(async () => {
  vendor = await aJwsVendor();
});

afterAll(() => vendor.close());

/** A tenant that has registered the vendor, whose key every tenant shares. */
async function aCustomer(key: string, account = "body:/account") {
  const token = await (await aTenant()).tokenWith();
  const post = async <T = Json>(path: string, body: unknown) => {
    const answer = await request<T>(`POST ${path}`, { token, body });
    expect([path, answer.status, answer.text]).toEqual([path, 201, expect.any(String)]);
    return answer.body;
  };
  const driver = {
    webhook: {
      scheme: vendor.scheme,
      deliveryId: ["body:/id"],
      eventName: ["body:/type"],
      ...(account === "" ? {} : { account }),
    },
  };
  const { providerId } = await post<{ providerId: string }>("/integrations/providers", {
    key,
    displayName: key,
    category: "Other",
    authModel: "None",
    driver,
  });
  return {
    token,
    providerId,
    post,
    connect: async (accountId: string) => {
      const connectionInput = { providerId, displayName: accountId, authMode: "None", configuration: { accountId } };
      const { connectionId } = await post<{ connectionId: string }>("/integrations/connections", connectionInput);
      return connectionId;
    },
  };
}

async function send(key: string, account: string, query = "") {
  const raw = JSON.stringify({ id: unique("evt"), type: "thing.made", account });
  const headers = { "content-type": "application/json", "x-jws-signature": await vendor.sign(raw) };
  return request(`POST /webhooks/deliveries/${key}${query}`, { headers, raw });
}

async function tenantOf(answer: { status: number; body: Json }, tokens: Record<string, string>) {
  if (answer.status !== 202) return `${answer.status}`;
  for (const [name, token] of Object.entries(tokens)) {
    const deliveryAnswer = await request(`GET /integrations/deliveries/${String(answer.body["deliveryId"])}`, {
      token,
    });
    if (deliveryAnswer.status === 200) return name;
  }
  return "nobody";
}

it("a delivery with a signature by the vendor's key belongs to the account in its body", async () => {
  const key = unique("shared");
  const [victim, other] = [await aCustomer(key), await aCustomer(key)];
  const ours = await victim.connect("acct-victim");
  const theirs = await other.connect("acct-other");
  const tokens = { victim: victim.token, other: other.token };
  const owner = async (account: string, query = "") => tenantOf(await send(key, account, query), tokens);
  await eventually("the connections take deliveries", async () => (await owner("acct-victim")) === "victim");
  expect(await owner("acct-other")).toBe("other");
  expect(await owner("acct-victim", "?account=acct-victim")).toBe("victim");
  expect(await owner("acct-victim", `?connection=${ours}`)).toBe("victim");
  expect(await owner("acct-nobody")).toBe("401");

  // The hint cannot give one account's delivery to another.
  expect(await owner("acct-other", "?account=acct-victim")).toBe("401");
  expect(await owner("acct-other", `?connection=${ours}`)).toBe("401");
  expect(await owner("acct-victim", `?connection=${theirs}`)).toBe("401");

  // A claim on the same account makes a resource hint necessary, and gives nothing to the other tenant.
  await other.connect("acct-victim");
  await eventually("the second claim is known", async () => (await owner("acct-victim")) === "401");
  expect(await owner("acct-victim", "?account=acct-victim")).toBe("401");
  expect(await owner("acct-victim", `?connection=${ours}`)).toBe("victim");
  const { status } = await request(`POST /integrations/connections/${ours}/suspend`, {
    token: victim.token,
    body: { reason: "a pause" },
  });
  expect(status).toBeLessThan(300);
  await eventually(
    "the suspension is known",
    async () => (await owner("acct-victim", `?connection=${ours}`)) === "401",
  );
  expect(await owner("acct-victim")).toBe("401");
  expect(await owner("acct-victim", "?account=acct-victim")).toBe("401");
});

it("without an account the delivery needs one registration, or the hint of a resource", async () => {
  const key = unique("unnamed");
  const first = await aCustomer(key, "");
  const connection = await first.connect("acct-1");
  await eventually("the first tenant takes deliveries", async () => (await send(key, "acct-1")).status === 202);
  const second = await aCustomer(key, "");
  await eventually("the second tenant is known", async () => (await send(key, "acct-1")).status === 401);
  await second.connect("acct-2");
  expect(refusal(await send(key, "acct-1", "?account=acct-1"))).toBe("401 SIGNATURE_INVALID");
  const hintAnswer = await send(key, "acct-1", `?connection=${connection}`);
  expect(await tenantOf(hintAnswer, { first: first.token, second: second.token })).toBe("first");
});

it("an Inbound subscription of a provider with the vendor's key needs no secret", async () => {
  const key = unique("no-secret");
  const tenant = await aCustomer(key);
  await tenant.connect("acct-1");
  const { subscriptionId, deliveryUrl } = await tenant.post<{ subscriptionId: string; deliveryUrl: string }>(
    "/webhooks/subscriptions",
    { direction: "Inbound", providerId: tenant.providerId },
  );
  expect(deliveryUrl).toContain(subscriptionId);
  const query = `?subscription=${subscriptionId}`;
  await eventually("the subscription takes deliveries", async () => (await send(key, "acct-1", query)).status === 202);
  expect(refusal(await send(key, "acct-2", query))).toBe("401 SIGNATURE_INVALID");
});
