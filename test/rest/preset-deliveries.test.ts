import { generateKeyPairSync, sign } from "node:crypto";
import { gzipSync } from "node:zlib";
import { anInboundSource } from "../kit/inbound-sources.js";
import { presetSenders } from "../kit/preset-senders.js";
import { postRaw } from "../kit/raw-request.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";

type Headers = Record<string, string | string[]>;

const unique = (prefix: string) => `${prefix}-${Math.random().toString(36).slice(2)}`;
let token: string;
let stranger: string;

beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
  stranger = await (await aTenant()).tokenWith();
});

/** The path in a new source's deliveryUrl. */
async function aPlace(preset: string, secret: string, by = token, key = unique(preset)) {
  const source = await anInboundSource(by, { preset, secret, key });
  const url = new URL(source.deliveryUrl);
  return { ...source, path: url.pathname + url.search };
}

async function taken(path: string, headers: Headers, raw: string | Buffer) {
  const answer = await postRaw(path, headers, raw);
  expect([answer.status, answer.text]).toEqual([202, expect.stringContaining("whd_")]);
  const { deliveryId } = answer.body as { deliveryId: string };
  return (await request(`GET /integrations/deliveries/${deliveryId}`, { token })).body;
}

const refusalAt = async (path: string, headers: Headers, raw: string | Buffer) =>
  refusal(await postRaw(path, headers, raw));

const without = (headers: Record<string, string>, name = "") => {
  const { [name]: _, ...rest } = headers;
  return rest;
};

it("each preset for deliveries has a sender here", async () => {
  const { body } = await request<{ data: { providerPresets: { name: string; capabilities: string[] }[] } }>(
    "POST /graphql",
    { token, body: { query: "{ providerPresets { name capabilities } }" } },
  );
  const elsewhere = ["github", "gitlab", "openai-compatible", "sendgrid", "slack", "stripe", "twilio", "webhook"];
  const names = body.data.providerPresets
    .filter(({ capabilities }) => capabilities.includes("webhooks.receive"))
    .map(({ name }) => name);
  expect([...Object.keys(presetSenders), ...elsewhere].toSorted()).toEqual(names.toSorted());
});

describe.each(Object.entries(presetSenders))("a delivery of %s", (preset, sender) => {
  const { secret, otherSecret, send, signature, time, isToken } = sender;

  it("is received with nothing but the preset, and each change of it is refused", async () => {
    const { path } = await aPlace(preset, secret);
    const id = unique("d");
    const first = send(secret, id);
    expect(await taken(path, first.headers, first.raw)).toMatchObject({
      providerDeliveryId: id,
      eventName: sender.eventName,
      normalizedEventType: sender.normalizedEventType,
    });
    const { headers, raw } = send(secret, unique("d"));
    const invalid = "401 SIGNATURE_INVALID";
    const other = send(otherSecret, unique("d"));
    expect(await refusalAt(path, other.headers, other.raw)).toBe(invalid);
    if (!isToken) {
      expect(await refusalAt(path, headers, raw.replace(/.$/, " }"))).toBe(invalid);
      expect(await refusalAt(path, headers, `${raw} `)).toBe(invalid);
    }
    if (signature !== undefined) {
      const value = headers[signature] ?? "";
      expect(await refusalAt(path, without(headers, signature), raw)).toBe(invalid);
      expect(await refusalAt(path, { ...headers, [signature]: [value, value] }, raw)).toBe(invalid);
      expect(await refusalAt(path, { ...headers, [signature]: value.slice(0, -2) }, raw)).toBe(invalid);
    }
    if (time !== undefined) {
      for (const at of [Date.now() - 310_000, Date.now() + 310_000]) {
        const late = send(secret, unique("d"), at);
        expect(await refusalAt(path, late.headers, late.raw)).toBe("401 SIGNATURE_EXPIRED");
        const wrong = send(otherSecret, unique("d"), at);
        expect(await refusalAt(path, wrong.headers, wrong.raw)).toBe(invalid);
      }
      const now = send(secret, unique("d"), Date.now() - 20_000);
      if (time !== "body")
        expect(await refusalAt(path, { ...headers, [time]: now.headers[time] ?? "" }, raw)).toBe(invalid);
    }
    expect((await postRaw(path, headers, raw)).status).toBe(202);
  });

  it("goes to the tenant with its secret only", async () => {
    const key = unique(preset);
    const ours = await aPlace(preset, secret, token, key);
    const theirs = await aPlace(preset, otherSecret, stranger, key);
    const { headers, raw } = send(secret, unique("d"));
    expect(await refusalAt(theirs.path, headers, raw)).toBe("401 SIGNATURE_INVALID");
    await taken(ours.path, headers, raw);
    const deliveryAnswer = send(secret, unique("d"));
    await taken(`/webhooks/deliveries/${key}`, deliveryAnswer.headers, deliveryAnswer.raw);
  });

  it("may be compressed, whichever bytes are signed", async () => {
    const { path } = await aPlace(preset, secret);
    const { headers, raw } = send(secret, unique("d"));
    const gzip = { ...headers, "content-encoding": "gzip" };
    await taken(path, gzip, gzipSync(raw));
    if (isToken) return;
    expect(await refusalAt(path, gzip, gzipSync(`${raw} `))).toBe("401 SIGNATURE_INVALID");
  });
});

describe("a test of a URL", () => {
  const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
    request(`${method} ${path}`, { headers });
  const answerOf = async (pending: ReturnType<typeof ask>) => {
    const { status, headers, text } = await pending;
    const [type = ""] = (headers.get("content-type") ?? "").split(";");
    return [status, type, headers.get("x-content-type-options"), text];
  };
  const plain = (text: string) => [200, "text/plain", "nosniff", text];

  it("of Meta gets its challenge by GET, and only at the URL of a resource", async () => {
    const { path, key, subscriptionId } = await aPlace("meta", "a secret of the app");
    const query = "&hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=meatyhamhock";
    expect(await answerOf(ask("GET", path + query))).toEqual(plain("1158201444"));
    const script = encodeURIComponent("<script>alert(1)</script>");
    expect(await answerOf(ask("GET", `${path}&hub.mode=subscribe&hub.challenge=${script}`))).toEqual(
      plain("<script>alert(1)</script>"),
    );
    for (const wrong of [
      `${path}&hub.mode=unsubscribe&hub.challenge=1`,
      `${path}&hub.mode=subscribe`,
      `${path}&hub.mode=subscribe&hub.challenge=1&hub.challenge=2`,
      path,
      `/webhooks/deliveries/${key}?${query.slice(1)}`,
      `/webhooks/deliveries/${key}?account=a${query}`,
      `/webhooks/deliveries/${unique("nobody")}?subscription=${subscriptionId}${query}`,
      `/webhooks/deliveries/${key}?subscription=whs_nothing${query}`,
    ])
      expect([wrong, refusal(await ask("GET", wrong))]).toEqual([wrong, "405 METHOD_NOT_ALLOWED"]);
    const long = `${path}&hub.mode=subscribe&hub.challenge=`;
    expect((await ask("GET", long + "1".repeat(1024))).status).toBe(200);
    expect(refusal(await ask("GET", long + "1".repeat(1025)))).toBe("400 VALIDATION_FAILED");
  });

  it("of Microsoft Graph gets its token by POST without a signature, and is no delivery", async () => {
    const { path, subscriptionId, key } = await aPlace("microsoft-graph", "a state of the client");
    const token_ = "Validation: Testing client application reachability, Request-Id: 1+2";
    const validationPath = `${path}&validationToken=${encodeURIComponent(token_)}`;
    const { status, headers, text } = await postRaw(
      validationPath,
      { "content-type": "text/plain; charset=utf-8" },
      "",
    );
    expect([status, headers.get("content-type"), text]).toEqual([200, "text/plain; charset=utf-8", token_]);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(await refusalAt(`/webhooks/deliveries/${key}?validationToken=1`, { "content-type": "text/plain" }, "")).toBe(
      "415 UNSUPPORTED_MEDIA_TYPE",
    );
    const list = await request(`GET /integrations/deliveries?subscriptionId=${subscriptionId}`, { token });
    expect(list.body["items"]).toEqual([]);
  });

  it("of Okta gets the value of its header in a member of JSON", async () => {
    const { path } = await aPlace("okta", "a shared secret");
    const challenge = 'Me_rShK8"JHs';
    const { status, headers, text } = await ask("GET", path, { "x-okta-verification-challenge": challenge });
    expect([status, text]).toEqual([200, JSON.stringify({ verification: challenge })]);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(refusal(await ask("GET", path))).toBe("405 METHOD_NOT_ALLOWED");
  });

  it("by HEAD is answered where the driver says so", async () => {
    const webhook = {
      scheme: { kind: "token", header: "x-token" },
      urlTests: [{ method: "HEAD" }],
      deliveryId: ["body:/id"],
      eventName: ["body:/type"],
    };
    const source = await anInboundSource(token, { provider: { preset: null, driver: { webhook } } });
    const path = source.deliveryUrl.slice(new URL(source.deliveryUrl).origin.length);
    expect((await ask("HEAD", path)).status).toBe(200);
    expect((await ask("HEAD", `/webhooks/deliveries/${source.key}`)).status).toBe(405);
  });
});

describe("the notifications of Microsoft Graph", () => {
  it("are recorded without their secret, which readers of events must not learn", async () => {
    const secret = "a secret client state";
    const { path } = await aPlace("microsoft-graph", secret);
    const { headers, raw } = presetSenders["microsoft-graph"]?.send(secret, unique("d")) ?? { headers: {}, raw: "" };
    const { payload } = await taken(path, headers, raw);
    expect(payload).toMatchObject({ changeType: "created" });
    expect(JSON.stringify(payload)).not.toContain(secret);
  });

  it("need the secret in each of them", async () => {
    const secret = "a secret client state";
    const { path } = await aPlace("microsoft-graph", secret);
    const list = (...states: (string | null)[]) =>
      JSON.stringify({ value: states.map((clientState) => ({ id: unique("d"), changeType: "created", clientState })) });
    const json = { "content-type": "application/json" };
    for (const raw of [list(secret, "another one"), list(secret, null), list(), "{}", "[]", "{", `"${secret}"`])
      expect([raw, await refusalAt(path, json, raw)]).toEqual([raw, "401 SIGNATURE_INVALID"]);
    expect((await postRaw(path, json, list(secret, secret))).body["deliveries"]).toHaveLength(2);
  });
});

describe("a public key that signs as Standard Webhooks says (v1a)", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const raw32 = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  const signedHeaders = (raw: string, id: string, at = Math.floor(Date.now() / 1000), by = privateKey) => ({
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(at),
    "webhook-signature": `v1a,${sign(null, Buffer.from(`${id}.${at}.${raw}`), by).toString("base64")}`,
  });

  it("verifies a delivery to the URL of the subscription that has it", async () => {
    const { path } = await aPlace("openai-compatible", `whpk_${raw32.toString("base64")}`);
    const raw = JSON.stringify({ type: "batch.completed" });
    await taken(path, signedHeaders(raw, unique("wh")), raw);
    const other = generateKeyPairSync("ed25519").privateKey;
    const now = Math.floor(Date.now() / 1000);
    expect(await refusalAt(path, signedHeaders(raw, unique("wh"), now, other), raw)).toBe("401 SIGNATURE_INVALID");
    expect(await refusalAt(path, signedHeaders(raw, unique("wh")), `${raw} `)).toBe("401 SIGNATURE_INVALID");
    expect(await refusalAt(path, signedHeaders(raw, unique("wh"), now - 400), raw)).toBe("401 SIGNATURE_EXPIRED");
  });

  it("is no secret of an HMAC, although everybody knows it", async () => {
    const key = `whpk_${raw32.toString("base64")}`;
    const { path } = await aPlace("jira", key);
    const { headers, raw } = presetSenders["jira"]?.send(key, unique("d")) ?? { headers: {}, raw: "" };
    expect(await refusalAt(path, headers, raw)).toBe("401 SIGNATURE_INVALID");
  });
});
