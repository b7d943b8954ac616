import { createHmac, generateKeyPairSync, randomBytes } from "node:crypto";
import { anInboundSource, asSpecified, aVendorSecret } from "../kit/inbound-sources.js";
import { aJwsVendor, anotherKey, type JwsKey, type JwsVendor } from "../kit/jws-vendor.js";
import { platform } from "../kit/platform.js";
import { aProvider } from "../kit/providers.js";
import { postRaw } from "../kit/raw-request.js";
import { refusal } from "../kit/refusal.js";
import { graphql } from "../kit/request.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";
import {
  byStandardWebhooks,
  fromGithub,
  fromGitlab,
  fromSendgrid,
  fromSlack,
  fromStripe,
  fromTwilio,
  type SentDelivery,
} from "../kit/vendor-senders.js";

type Headers = Record<string, string | string[]>;

/** A sender's work: the path that it calls, and a new delivery, as it signs it. */
interface Sender {
  readonly path: string;
  /** The header with the signature. */
  readonly signature: string;
  readonly send: (time?: number) => SentDelivery | Promise<SentDelivery>;
  /** Deliveries that were signed with another key, or with another algorithm. */
  readonly wrong: Record<string, SentDelivery | Promise<SentDelivery>>;
  /** The header with the time, or true where another header has it. */
  readonly time?: string | true;
  /** The secret itself is sent, so that it covers no body. */
  readonly isToken?: true;
}

const unique = (prefix: string) => `${prefix}-${Math.random().toString(36).slice(2)}`;
const anEvent = () => ({ id: unique("evt"), type: "thing.made", sg_event_id: unique("sg"), event_id: unique("ev") });
const nowSeconds = () => Math.floor(Date.now() / 1000);

let tenant: TestTenant;
let token: string;
let vendor: JwsVendor;
/** All that an answer 401 tells, apart from its path and its trace. All refusals for all senders must tell the same. */
const answerTexts = new Set<string>();

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
  vendor = await aJwsVendor();
});

afterAll(() => vendor.close());

async function aSource(preset: string, secret = aVendorSecret()) {
  const source = await anInboundSource(token, { preset, secret });
  const url = new URL(source.deliveryUrl);
  return { ...source, path: url.pathname + url.search };
}

/** The same delivery with another header value. */
const withHeader = ({ raw, headers }: SentDelivery, name: string, value: string): SentDelivery => ({
  raw,
  headers: { ...headers, [name]: value },
});

const senders: Record<string, () => Promise<Sender>> = {
  async "the specification"() {
    const source = await aSource("webhook");
    const delivery = () => ({ providerDeliveryId: unique("id"), eventName: "a.b", payload: {} });
    const signedDelivery = asSpecified(source, delivery());
    const by = (algorithm: string, prefix: string) =>
      withHeader(
        ...[signedDelivery, "x-hub-signature-256"],
        prefix + createHmac(algorithm, source.secret).update(signedDelivery.raw).digest("hex"),
      );
    return {
      path: "/webhooks/deliveries",
      signature: "x-hub-signature-256",
      send: () => asSpecified(source, delivery()),
      wrong: {
        key: asSpecified({ ...source, secret: aVendorSecret() }, delivery()),
        "algorithm SHA-1": by("sha1", "sha256="),
        "algorithm SHA-1, named": by("sha1", "sha1="),
        "algorithm SHA-512": by("sha512", "sha256="),
        provider: withHeader(signedDelivery, "x-svc-provider", unique("nobody")),
      },
    };
  },
  async GitHub() {
    const { path, secret } = await aSource("github");
    return {
      path,
      signature: "x-hub-signature-256",
      send: () => fromGithub(secret, unique("id"), "push", anEvent()),
      wrong: { key: fromGithub(aVendorSecret(), unique("id"), "push", anEvent()) },
    };
  },
  async GitLab() {
    const { path, secret } = await aSource("gitlab");
    return {
      path,
      signature: "x-gitlab-token",
      isToken: true,
      send: () => fromGitlab(secret, unique("id"), JSON.stringify(anEvent())),
      wrong: { key: fromGitlab(aVendorSecret(), unique("id"), "{}") },
    };
  },
  async Stripe() {
    const { path, secret } = await aSource("stripe");
    const signedDelivery = fromStripe(secret, anEvent());
    const signature = signedDelivery.headers["stripe-signature"] ?? "";
    return {
      path,
      signature: "stripe-signature",
      time: true,
      send: (time) => fromStripe(secret, anEvent(), time),
      wrong: {
        key: fromStripe(aVendorSecret(), anEvent()),
        algorithm: withHeader(signedDelivery, "stripe-signature", signature.replace("v1=", "v0=")),
        "time in the header": withHeader(
          ...[signedDelivery, "stripe-signature"],
          signature.replace(/t=(\d+)/, (_, time) => `t=${Number(time) - 1}`),
        ),
      },
    };
  },
  async Slack() {
    const { path, secret } = await aSource("slack");
    const type = "application/json";
    const signedDelivery = fromSlack(secret, JSON.stringify(anEvent()));
    const signature = signedDelivery.headers["x-slack-signature"] ?? "";
    return {
      path,
      signature: "x-slack-signature",
      time: "x-slack-request-timestamp",
      send: (time) => fromSlack(secret, JSON.stringify(anEvent()), type, time),
      wrong: {
        key: fromSlack(aVendorSecret(), JSON.stringify(anEvent())),
        algorithm: withHeader(signedDelivery, "x-slack-signature", signature.replace("v0=", "v1=")),
      },
    };
  },
  async Twilio() {
    const { path, secret } = await aSource("twilio");
    const url = platform().publicUrl + path;
    const parameters = () => ({ MessageSid: unique("SM"), Body: "Ahoy", SmsStatus: "received" });
    const signedDelivery = fromTwilio(secret, url, parameters());
    const content =
      url +
      [...new URLSearchParams(signedDelivery.raw)]
        .sort(([first], [other]) => (first < other ? -1 : 1))
        .flat()
        .join("");
    return {
      path,
      signature: "x-twilio-signature",
      send: () => fromTwilio(secret, url, parameters()),
      wrong: {
        key: fromTwilio(aVendorSecret(), url, parameters()),
        URL: fromTwilio(secret, `${url}&more=1`, parameters()),
        algorithm: withHeader(
          ...[signedDelivery, "x-twilio-signature"],
          createHmac("sha256", secret).update(content).digest("base64"),
        ),
      },
    };
  },
  async SendGrid() {
    const aPair = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { privateKey, publicKey } = aPair();
    const { path } = await aSource("sendgrid", publicKey.export({ type: "spki", format: "der" }).toString("base64"));
    const raw = () => JSON.stringify([{ ...anEvent(), event: "open" }]);
    return {
      path,
      signature: "x-twilio-email-event-webhook-signature",
      time: "x-twilio-email-event-webhook-timestamp",
      send: (time) => fromSendgrid(privateKey, raw(), time),
      wrong: {
        key: fromSendgrid(aPair().privateKey, raw()),
        algorithm: fromSendgrid(privateKey, raw(), nowSeconds(), "sha512"),
      },
    };
  },
  async "Standard Webhooks"() {
    const aSecret = () => `whsec_${randomBytes(32).toString("base64")}`;
    const { path, secret } = await aSource("openai-compatible", aSecret());
    const signedDelivery = byStandardWebhooks(secret, unique("msg"), JSON.stringify(anEvent()));
    const signature = signedDelivery.headers["webhook-signature"] ?? "";
    return {
      path,
      signature: "webhook-signature",
      time: "webhook-timestamp",
      send: (time) => byStandardWebhooks(secret, unique("msg"), JSON.stringify(anEvent()), time),
      wrong: {
        key: byStandardWebhooks(aSecret(), unique("msg"), JSON.stringify(anEvent())),
        algorithm: withHeader(signedDelivery, "webhook-signature", signature.replace("v1,", "v1a,")),
        id: withHeader(signedDelivery, "webhook-id", unique("msg")),
      },
    };
  },
  async "a detached JWS"() {
    const key = unique("jws");
    const webhook = { scheme: vendor.scheme, deliveryId: ["body:/id"], eventName: ["body:/type"] };
    await aProvider(token, { key, driver: { webhook } });
    const sign = async (header?: Record<string, unknown>, by?: JwsKey) => {
      const raw = JSON.stringify(anEvent());
      const headers = { "content-type": "application/json", "x-jws-signature": await vendor.sign(raw, header, by) };
      return { raw, headers };
    };
    const none = Buffer.from(JSON.stringify({ alg: "none", kid: "one" })).toString("base64url");
    const good = await sign();
    return {
      path: `/webhooks/deliveries/${key}`,
      signature: "x-jws-signature",
      time: true,
      send: (iat) => sign(iat === undefined ? {} : { iat }),
      wrong: {
        key: sign({}, await anotherKey()),
        "key id": sign({ kid: "two" }),
        "algorithm none": withHeader(good, "x-jws-signature", `${none}..`),
        "algorithm none with a signature": withHeader(good, "x-jws-signature", `${none}..AAAA`),
        "algorithm HS256": sign({ alg: "HS256" }, randomBytes(32)),
      },
    };
  },
};

const flipByte = (text: string, at = text.length - 8) =>
  text.slice(0, at) + (text[at] === "a" ? "b" : "a") + text.slice(at + 1);

/** Each change to a good delivery that must not verify. */
async function changesOf(sender: Sender): Promise<Record<string, { headers: Headers; raw: string; code?: string }>> {
  const { headers, raw } = await sender.send();
  const value = headers[sender.signature] ?? "";
  const { [sender.signature]: _, ...otherHeaders } = headers;
  const signedBy = (signature: string | string[]) => ({ raw, headers: { ...headers, [sender.signature]: signature } });
  const body = { "byte of the body": { headers, raw: flipByte(raw, 3) }, "longer body": { headers, raw: `${raw} ` } };
  const { time } = sender;
  const code = "SIGNATURE_EXPIRED";
  const times = {
    old: { ...(await sender.send(nowSeconds() - 301)), code },
    future: { ...(await sender.send(nowSeconds() + 310)), code },
  };
  const unsignedCode = sender.path === "/webhooks/deliveries" ? { code: "SIGNATURE_MISSING" } : {};
  const timeHeaders =
    time === undefined || time === true
      ? {}
      : {
          "time in the header": { raw, headers: { ...headers, [time]: String(Number(headers[time]) - 1) } },
          "time that is no number": { raw, headers: { ...headers, [time]: `${headers[time]}x` } },
          "two times": { raw, headers: { ...headers, [time]: [headers[time] ?? "", headers[time] ?? ""] } },
        };
  return {
    ...{ "no signature": { headers: otherHeaders, raw, ...unsignedCode }, "empty signature": signedBy("") },
    ...{ signature: signedBy(flipByte(value)), "short signature": signedBy(value.slice(0, -2)) },
    "long signature": signedBy(`${value}00`),
    "signature sent twice": signedBy([value, value]),
    "signature beside another": signedBy([value, flipByte(value)]),
    ...(sender.isToken ? {} : body),
    ...(time === undefined ? {} : times),
    ...timeHeaders,
    ...Object.fromEntries(
      await Promise.all(
        Object.entries(sender.wrong).map(async ([name, wrongDelivery]) => [name, await wrongDelivery] as const),
      ),
    ),
  };
}

describe.each(Object.entries(senders))("a delivery signed as %s", (_, aSender) => {
  it("verifies, and each change of it is refused with one answer", async () => {
    const sender = await aSender();
    const isTaken = async () => {
      const { headers, raw } = await sender.send();
      const answer = await postRaw(sender.path, headers, raw);
      expect([answer.status, answer.text]).toEqual([202, expect.stringContaining("whd_")]);
    };
    await isTaken();
    for (const [change, changedDelivery] of Object.entries(await changesOf(sender))) {
      const { headers, raw, code = "SIGNATURE_INVALID" } = changedDelivery;
      const answer = await postRaw(sender.path, headers, raw);
      expect([change, refusal(answer)]).toEqual([change, `401 ${code}`]);
      expect(answer.headers.get("www-authenticate")).toBe("Signature");
      if (code !== "SIGNATURE_INVALID") continue;
      const { traceId: _trace, instance: _path, ...comparableBody } = answer.body;
      answerTexts.add(JSON.stringify(comparableBody));
    }
    expect([...answerTexts]).toHaveLength(1);
    await isTaken();
  });
});

describe("a header that is sent twice", () => {
  it("names neither a provider nor a resource", async () => {
    const [source, other] = [await aSource("webhook"), await aSource("webhook")];
    const { headers, raw } = asSpecified(source, { providerDeliveryId: unique("id"), eventName: "a", payload: {} });
    const twice = (name: string, ...values: string[]) =>
      postRaw("/webhooks/deliveries", { ...headers, [name]: values }, raw).then(refusal);
    expect(await twice("x-svc-provider", source.key, source.key)).toBe("401 SIGNATURE_INVALID");
    expect(await twice("x-svc-provider", source.key, other.key)).toBe("401 SIGNATURE_INVALID");
    expect(await twice("content-type", "application/json", "application/json")).toBe("400 VALIDATION_FAILED");
  });
});

describe("the scope webhooks.deliveries.ingest", () => {
  const ingest = (by: string | undefined, { headers, raw }: SentDelivery, path = "/webhooks/deliveries") =>
    postRaw(path, { ...headers, ...(by && { authorization: `Bearer ${by}` }) }, raw);
  const mutation = `mutation ($input: IngestWebhookDeliveryInput!) { ingestWebhookDelivery(input: $input) { status } }`;

  it("gives nothing without a signature, and a signed delivery needs neither it nor any token", async () => {
    const source = await aSource("webhook");
    const holder = await tenant.tokenWith("webhooks.deliveries.ingest");
    const signedDelivery = asSpecified(source, { providerDeliveryId: unique("id"), eventName: "a", payload: {} });
    const { "x-hub-signature-256": _, ...headers } = signedDelivery.headers;
    const unsignedDelivery = { headers, raw: signedDelivery.raw };
    for (const by of [undefined, holder, token]) {
      expect(refusal(await ingest(by, unsignedDelivery, "/webhooks/deliveries"))).toBe("401 SIGNATURE_MISSING");
      expect(refusal(await ingest(by, unsignedDelivery, source.path))).toBe("401 SIGNATURE_INVALID");
    }
    const input = {
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
      body: Buffer.from(signedDelivery.raw).toString("base64"),
      path: "/webhooks/deliveries",
    };
    const { body } = await graphql(mutation, { token: holder, variables: { input } });
    expect(body.errors?.[0]?.extensions.code).toBe("SIGNATURE_MISSING");
    const reader = await tenant.tokenWith("templates.read");
    for (const by of [undefined, reader, holder]) expect((await ingest(by, signedDelivery)).status).toBe(202);
  });
});
