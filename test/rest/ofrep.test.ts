import { OFREPApi } from "@openfeature/ofrep-core";
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature, type Provider, ProviderEvents } from "@openfeature/web-sdk";
import EventSource from "eventsource";
import { eventually } from "../kit/eventually.js";
import { aFlag } from "../kit/feature-flags.js";
import { forgedTokens } from "../kit/forged-tokens.js";
import { platform } from "../kit/platform.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTenant, moved, type TestTenant } from "../kit/tenants.js";

interface Bulk {
  readonly flags: readonly { readonly key: string; readonly reason?: string; readonly errorCode?: string }[];
  readonly eventStreams: readonly { readonly type: string; readonly endpoint: { readonly requestUri: string } }[];
}

let tenant: TestTenant;
let token: string;

beforeAll(async () => {
  // the provider runs in browsers, which have it
  Object.assign(globalThis, { EventSource });
  tenant = await aTenant();
  token = await tenant.tokenWith();
  await aFlag(token, "on");
  await aFlag(token, "off", { enabled: false });
  await aFlag(token, "half", { rolloutPercentage: 50 });
  await aFlag(token, "staff", {
    rolloutPercentage: 0,
    rules: [{ attribute: "role", operator: "IN", values: ["staff"] }],
  });
});

const evaluateFlag = (key: string, context?: unknown, more: Parameters<typeof request>[1] = {}) =>
  request(`POST /ofrep/v1/evaluate/flags/${key}`, { token, body: { context }, ...more });
const all = (context?: unknown, more: Parameters<typeof request>[1] = {}) =>
  request<Bulk>("POST /ofrep/v1/evaluate/flags", { token, body: { context }, ...more });

describe("POST /ofrep/v1/evaluate/flags/{key}", () => {
  it.each([
    ["on", {}, 200, { key: "on", value: true, variant: "on", reason: "STATIC" }],
    ["off", {}, 200, { key: "off", value: false, variant: "off", reason: "DISABLED" }],
    ["staff", { role: "staff" }, 200, { key: "staff", value: true, variant: "on", reason: "TARGETING_MATCH" }],
    ["staff", { role: "guest" }, 200, { key: "staff", value: false, variant: "off", reason: "STATIC" }],
    ["half", {}, 400, { key: "half", errorCode: "TARGETING_KEY_MISSING", errorDetails: expect.any(String) }],
    ["never", {}, 404, { key: "never", errorCode: "FLAG_NOT_FOUND", errorDetails: expect.any(String) }],
    ["on", [], 400, { key: "on", errorCode: "INVALID_CONTEXT", errorDetails: expect.any(String) }],
    ["on", { targetingKey: 5 }, 400, { key: "on", errorCode: "INVALID_CONTEXT", errorDetails: expect.any(String) }],
  ])("evaluates %s for %j: %i", async (key, context, status, body) => {
    const answer = await evaluateFlag(key, context);
    expect([answer.status, answer.body]).toEqual([status, body]);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  });

  it("splits by targetingKey, in the same way each time", async () => {
    const values = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const [first, again] = [
          await evaluateFlag("half", { targetingKey: `u${at}` }),
          await evaluateFlag("half", { targetingKey: `u${at}` }),
        ];
        expect([first.body["reason"], again.body]).toEqual(["SPLIT", first.body]);
        return first.body["value"];
      }),
    );
    expect(new Set(values)).toEqual(new Set([true, false]));
  });

  it("answers with an error code that OFREP clients know", async () => {
    const raw = (text: string) => ({ raw: text, headers: { "content-type": "application/json" } });
    const bodies = ["{", '{"context":', "[1]", '"text"'];
    for (const text of bodies) {
      const answer = await request("POST /ofrep/v1/evaluate/flags/on", { token, ...raw(text) });
      expect([text, answer.status, answer.body["errorCode"], answer.body["key"]]).toEqual([
        text,
        400,
        "PARSE_ERROR",
        "on",
      ]);
    }
    const large = await evaluateFlag("on", { filler: "x".repeat(70_000) });
    expect([large.status, large.body["errorCode"]]).toEqual([413, "INVALID_CONTEXT"]);
    const deep = await request("POST /ofrep/v1/evaluate/flags/on", {
      token,
      ...raw(`{"context":${"[".repeat(70)}${"]".repeat(70)}}`),
    });
    expect([deep.status, deep.body["errorCode"]]).toEqual([400, "PARSE_ERROR"]);
  });

  it("answers a page in a browser, whose requests are routed, as a server", async () => {
    const answersTo = async (text: string, headers: Record<string, string>) => {
      const rawRequest = { raw: text, headers: { "content-type": "application/json", ...headers } };
      const {
        status,
        headers: responseHeaders,
        body,
      } = await request<Record<string, unknown>>("POST /ofrep/v1/evaluate/flags/half", { token, ...rawRequest });
      const names = [...responseHeaders.keys()].filter((name) => !/^(date|connection|keep-alive)$/.test(name)).sort();
      return { status, names, body: { ...body, traceId: "" } };
    };
    for (const text of ['{"context":{"targetingKey":"u1"}}', "{}", '{"context":[]}', "[]", "{"])
      expect([text, await answersTo(text, {})]).toEqual([
        text,
        await answersTo(text, { origin: "https://page.example" }),
      ]);
  });

  it("requires a token of the tenant with a scope, as every endpoint does", async () => {
    const refusedAnswer = await evaluateFlag("on", {}, { token: undefined });
    expect([refusal(refusedAnswer), refusedAnswer.body["errorCode"], refusedAnswer.body["key"]]).toEqual([
      "401 UNAUTHENTICATED",
      "GENERAL",
      "on",
    ]);
    for (const forgery of Object.values(await forgedTokens(token)))
      expect(refusal(await evaluateFlag("on", {}, { token: forgery }))).toBe("401 TOKEN_INVALID");
    expect(refusal(await evaluateFlag("on", {}, { token: await tenant.tokenWith("user.read") }))).toBe(
      "403 INSUFFICIENT_SCOPE",
    );
    expect(
      refusal(await evaluateFlag("on", {}, { headers: { "x-tenant-id": "ten_01jz3b0q8xk0n8v3m1w6y5t2r7" } })),
    ).toBe("403 TENANT_MISMATCH");
    for (const scope of ["config.read", "flag.evaluate"] as const)
      expect((await evaluateFlag("on", {}, { token: await tenant.tokenWith(scope) })).status).toBe(200);
    const other = await aTenant();
    expect((await evaluateFlag("on", {}, { token: await other.tokenWith("flag.evaluate") })).status).toBe(404);
  });

  it("counts in a rate class of its own", async () => {
    const { headers } = await evaluateFlag("on");
    expect(headers.get("ratelimit-policy")).toMatch(/^"evaluate";q=\d+;w=60$/);
  });

  it("uses a change from the answer of its PUT on", async () => {
    for (let round = 0; round < 30; round += 1) {
      const isEnabled = round % 2 === 0;
      await aFlag(token, "moving", { enabled: isEnabled });
      expect((await evaluateFlag("moving")).body["value"]).toBe(isEnabled);
    }
    await request("DELETE /v1/feature-flags/moving", { token });
    expect((await evaluateFlag("moving")).status).toBe(404);
  });
});

describe("POST /ofrep/v1/evaluate/flags", () => {
  it("evaluates every flag, and tells where to hear of changes", async () => {
    const { status, body } = await all({ role: "staff", targetingKey: "u1" });
    expect(status).toBe(200);
    const reasons = Object.fromEntries(body.flags.map(({ key, reason }) => [key, reason]));
    expect(reasons).toMatchObject({ on: "STATIC", off: "DISABLED", half: "SPLIT", staff: "TARGETING_MATCH" });
    expect(body.eventStreams).toEqual([
      {
        type: "sse",
        endpoint: { requestUri: expect.stringMatching(/^\/ofrep\/v1\/streams\?ticket=/) },
        inactivityDelaySec: 120,
      },
    ]);
  });

  it("costs a point for each thousand comparisons, and one where it makes few", async () => {
    const other = await aTenant();
    const theirs = await other.tokenWith();
    const remaining = async (ask: () => Promise<{ status: number; headers: Headers }>) => {
      const { headers, status } = await ask();
      expect(status).toBe(200);
      return Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
    };
    const costOf = async (ask: Parameters<typeof remaining>[0]): Promise<number> => {
      const cost = (await remaining(ask)) - (await remaining(ask));
      // a new window began between the two
      return cost < 0 ? costOf(ask) : cost;
    };
    const bulk = () => all({ text: "x" }, { token: theirs });
    await aFlag(theirs, "plain");
    expect(await costOf(bulk)).toBe(1);
    const values = Array.from({ length: 50 }, (_, at) => `value ${at}`);
    for (const key of ["first", "second", "third"])
      await aFlag(theirs, key, { rules: [{ attribute: "text", operator: "STR_CONTAINS", values }] });
    // 4 flags, and 3 times 50 values that count as 20 each
    expect(await costOf(bulk)).toBe(4);
    expect(await costOf(() => evaluateFlag("first", { text: "x" }, { token: theirs }))).toBe(1);
  });

  it("reports a flag that needs a targetingKey beside the others", async () => {
    const { body } = await all();
    const half = body.flags.find(({ key }) => key === "half");
    expect(half).toMatchObject({ errorCode: "TARGETING_KEY_MISSING" });
  });

  it("has an entity tag over the flags and the context", async () => {
    const context = { targetingKey: "u1" };
    const first = await all(context);
    const conditions = { "if-none-match": first.headers.get("etag") ?? "" };
    const again = await all(context, { headers: conditions });
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", first.headers.get("etag")]);
    expect((await all({ targetingKey: "u2" }, { headers: conditions })).status).toBe(200);
    await aFlag(token, "tagged", { description: first.headers.get("etag") });
    const changedAnswer = await all(context, { headers: conditions });
    expect(changedAnswer.status).toBe(200);
    expect((await all(context, { headers: { "if-none-match": changedAnswer.headers.get("etag") ?? "" } })).status).toBe(
      304,
    );
  });
});

/** Reads a stream until `end` is called, and collects its messages. */
function listen(address: string) {
  const messages: string[] = [];
  let hasEnded = false;
  const abort = new AbortController();
  const reading = (async () => {
    const response = await fetch(platform().publicUrl + address, { signal: abort.signal });
    if (response.status !== 200) return response;
    for await (const chunk of response.body ?? []) messages.push(Buffer.from(chunk).toString());
    hasEnded = true;
    return response;
  })().catch(() => undefined);
  return { messages, reading, hasEnded: () => hasEnded, end: () => abort.abort() };
}

const streamOf = async (of: string) => String((await all({}, { token: of })).body.eventStreams[0]?.endpoint.requestUri);

describe("GET /ofrep/v1/streams", () => {
  it("tells of a change, and of no change of another tenant", async () => {
    const other = await aTenant();
    const theirs = listen(await streamOf(await other.tokenWith()));
    const ours = listen(await streamOf(token));
    const count = (stream: typeof ours) => stream.messages.join("").split("refetchEvaluation").length - 1;
    await eventually("both are open", () => count(ours) === 1 && count(theirs) === 1);
    const changedAt = Date.now();
    await aFlag(token, "streamed");
    await eventually("the change is told", () => count(ours) === 2);
    process.stdout.write(`a change reached the stream after ${Date.now() - changedAt} ms\n`);
    expect(count(theirs)).toBe(1);
    expect(ours.messages.join("")).toMatch(
      /^retry: 2000\n\nid: \d+\ndata: \{"type":"refetchEvaluation","etag":"\\"\d+\\""\}\n\n/,
    );
    for (const stream of [ours, theirs]) stream.end();
  });

  it("takes a token in the header, and a ticket only where it was sealed by the platform", async () => {
    const open = (path: string, headers = {}) => request(`GET ${path}`, { headers });
    expect(refusal(await open("/ofrep/v1/streams"))).toBe("401 UNAUTHENTICATED");
    const address = await streamOf(token);
    for (const wrong of [
      `${address}x`,
      address.slice(0, -4),
      `${address}&ticket=1`,
      `/ofrep/v1/streams?ticket=${token}`,
    ])
      expect(refusal(await open(wrong))).toBe("401 TOKEN_INVALID");
    const weak = await request("GET /ofrep/v1/streams", { token: await tenant.tokenWith("user.read") });
    expect(refusal(weak)).toBe("403 INSUFFICIENT_SCOPE");
    const ticket = address.split("ticket=")[1];
    expect(refusal(await request("GET /v1/feature-flags", { token: ticket }))).toBe("401 TOKEN_INVALID");
    expect(await streamOf(token)).toBe(address);
  });

  it("ends when the tenant is suspended", async () => {
    const other = await aTenant();
    const stream = listen(await streamOf(await other.tokenWith()));
    await eventually("it is open", () => stream.messages.length > 0);
    await moved(other, "suspendTenant");
    await eventually("it has ended", stream.hasEnded);
  });
});

describe("the clients of OpenFeature", () => {
  const options = () => ({
    baseUrl: platform().publicUrl,
    headers: [["authorization", `Bearer ${token}`]] as [string, string][],
    cacheMode: "disabled" as const,
  });

  it("ofrep-core reads values and errors", async () => {
    const api = new OFREPApi(options());
    const evaluation = await api.postEvaluateFlag("staff", { context: { role: "staff" } });
    expect([evaluation.httpStatus, evaluation.value]).toMatchObject([200, { value: true, reason: "TARGETING_MATCH" }]);
    for (const [key, status, errorCode] of [
      ["never", 404, "FLAG_NOT_FOUND"],
      ["half", 400, "TARGETING_KEY_MISSING"],
    ] as const)
      expect(await api.postEvaluateFlag(key, { context: {} })).toMatchObject({
        httpStatus: status,
        value: { errorCode },
      });
    const bulk = await api.postBulkEvaluateFlags({ context: { targetingKey: "u1" } });
    const unchangedBulk = await api.postBulkEvaluateFlags(
      { context: { targetingKey: "u1" } },
      bulk.httpResponse?.headers.get("etag"),
    );
    expect([bulk.httpStatus, unchangedBulk.httpStatus]).toEqual([200, 304]);
    const stranger = new OFREPApi({ ...options(), headers: [["authorization", "Bearer x"]] });
    await expect(stranger.postEvaluateFlag("on")).rejects.toThrow("unauthorized");
  });

  it("the web provider reads our flags and sees a change by the stream", async () => {
    await aFlag(token, "banner", { enabled: false });
    await OpenFeature.setContext({ targetingKey: "u1", role: "staff" });
    await OpenFeature.setProviderAndWait(new OFREPWebProvider(options()) as Provider);
    const client = OpenFeature.getClient();
    expect(client.getBooleanDetails("staff", false)).toMatchObject({
      value: true,
      reason: "TARGETING_MATCH",
      variant: "on",
    });
    expect(client.getBooleanDetails("never", true)).toMatchObject({ value: true, errorCode: "FLAG_NOT_FOUND" });
    expect(client.getBooleanValue("banner", true)).toBe(false);
    let changes = 0;
    client.addHandler(ProviderEvents.ConfigurationChanged, () => void changes++);
    const changedAt = Date.now();
    await aFlag(token, "banner", { enabled: true });
    await eventually("the provider has the new value", () => client.getBooleanValue("banner", false));
    process.stdout.write(`the web provider had the new value after ${Date.now() - changedAt} ms\n`);
    expect(changes).toBeGreaterThan(0);
    await OpenFeature.setContext({ targetingKey: "u1", role: "guest" });
    expect(client.getBooleanValue("staff", true)).toBe(false);
    await OpenFeature.close();
  });
});
