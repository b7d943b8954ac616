import { newId } from "@factory/runtime/identifiers/wire-id";
import { keepingLogger } from "@factory/runtime/telemetry/logged-lines.fixture";
import type { CompleteRequest, DeepPartial } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import { refusalOf } from "../../connections/vendor-calls/vendor-connection.fixture.js";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { aModelConnection, aModelServer, KnownTokens, modelClient } from "./model-vendor.fixture.js";

const secretWord = "marimba-secret-prompt";
const usage = { promptTokens: 11, completionTokens: 7, totalTokens: 18, cachedTokens: 3 };

let fixture: IntegrationFixture;
let vendor: Awaited<ReturnType<typeof aModelServer>>;
let models: Awaited<ReturnType<typeof modelClient>>;
const tokens = new KnownTokens();
const logLines: string[] = [];
const principal = aPrincipal();
const headers = { authorization: `Bearer ${tokens.tokenOf(principal)}` };
let connectionId: string;

beforeAll(async () => {
  const logger = keepingLogger(logLines);
  [fixture, vendor] = await Promise.all([startIntegrationFixture({ verifier: tokens }, logger), aModelServer()]);
  models = await modelClient(fixture, logger);
  connectionId = await aModelConnection(fixture, principal, vendor.baseUrl);
});

afterAll(async () => {
  await models.close();
  await Promise.all([fixture.close(), vendor.close()]);
});

const stream = (
  model: string,
  more: DeepPartial<CompleteRequest> = {},
  options: { signal?: AbortSignal; timeoutMs?: number } = {},
) =>
  models.client.stream(
    { connectionId, model, messages: [{ role: "user", content: secretWord }], ...more },
    { headers, ...options },
  );

async function all(model: string, more: DeepPartial<CompleteRequest> = {}, options: { timeoutMs?: number } = {}) {
  const chunks = [];
  for await (const chunk of stream(model, more, options)) chunks.push(chunk);
  return chunks;
}

interface EndedRun {
  readonly status: string;
  readonly error_code: string | null;
  readonly result: { tries: object[]; usage: object | null };
}

/** The run for this model's call, once it has ended. */
const endedRun = (model: string) =>
  eventually(async () => {
    const [run] = await fixture.rows<EndedRun>(
      "select * from integration.runs where payload->>'model' = $1 and status <> 'Running'",
      model,
    );
    return run;
  });

describe("svc.model.v1.ModelInvocation/Stream", () => {
  it("gives texts, the reason and the usage, with the run in each chunk", async () => {
    const chunks = await all("words-3");
    expect(chunks.map(({ delta }) => delta).join("")).toBe("w1 w2 w3 ");
    expect(chunks.map(({ finishReason }) => finishReason).filter((reason) => reason !== "")).toEqual(["stop"]);
    expect(chunks.at(-1)?.usage).toEqual(usage);
    const runIds = new Set(chunks.map(({ runId }) => runId));
    expect([...runIds]).toEqual([expect.stringMatching(/^run_/)]);
    expect(new Set(chunks.map((chunk) => chunk.connectionId))).toEqual(new Set([connectionId]));
    expect(await endedRun("words-3")).toMatchObject({
      ...{ status: "Completed", error_code: null },
      result: { usage, tries: [{ connectionId, model: "words-3", error: null }], finishReason: "stop" },
    });
    const [request] = await vendor.requests("words-3");
    expect(request?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it("gives the calls of tools piece by piece", async () => {
    const calls = (await all("tools")).flatMap(({ toolCallDelta }) => toolCallDelta ?? []);
    expect(calls[0]).toEqual({ index: 0, id: "call_1", name: "weather", argumentsJson: "" });
    expect(calls.map(({ argumentsJson }) => argumentsJson).join("")).toBe('{"city":"Oslo"}');
  });

  it("gives each piece when it comes", async () => {
    const pieces: string[] = [];
    for await (const { delta } of stream("held-4"))
      if (delta !== "") {
        pieces.push(delta);
        await vendor.release("held-4");
      }
    expect(pieces).toEqual(["w1 ", "w2 ", "w3 ", "w4 "]);
  });

  it.each([
    ["break-2", "UPSTREAM_FAILED"],
    ["stop-2", "UPSTREAM_FAILED"],
    ["error-2", "UPSTREAM_FAILED"],
    ["status-400-1", "MODEL_REQUEST_REFUSED"],
    ["garbage-1", "UPSTREAM_FAILED"],
  ])("fails for %s, without a word of the prompt", async (model, code) => {
    const refusal = await refusalOf(all(model));
    expect(refusal).toMatchObject({ code });
    expect(JSON.stringify(refusal) + refusal.message).not.toContain(secretWord);
    expect(await endedRun(model)).toMatchObject({ status: "Failed", error_code: code });
  });

  it.each(["mute-1", "endless-10"])("ends %s at the vendor soon after a cancellation", async (model) => {
    const callerEnd = new AbortController();
    const reading = (async () => {
      for await (const _ of stream(model, {}, { signal: callerEnd.signal }));
    })().catch(() => undefined);
    await eventually(async () => ((await vendor.requests(model))[0]?.pieces ?? 0) > 0 || undefined);
    const cancelledAt = Date.now();
    callerEnd.abort();
    await reading;
    const closedAt = await eventually(async () => (await vendor.requests(model))[0]?.closedAt ?? undefined);
    // on an idle machine within 100 ms; a call that goes on would end after minutes
    expect(closedAt - cancelledAt).toBeLessThan(30_000);
    expect(await endedRun(model)).toMatchObject({ status: "Cancelled", error_code: "CALL_CANCELLED" });
  });

  it("ends at the vendor soon after the deadline of the caller", async () => {
    let [model, timeoutMs, startedAt, endedAt, code] = ["", 250, 0, 0, ""];
    // a slow machine needs more time to reach the vendor before the deadline
    do {
      timeoutMs *= 2;
      model = `mute-${timeoutMs}`;
      startedAt = Date.now();
      ({ code } = await refusalOf(all(model, {}, { timeoutMs })));
      endedAt = Date.now();
    } while ((await vendor.requests(model)).length === 0);
    expect(code).toBe("UPSTREAM_TIMEOUT");
    const closedAt = await eventually(async () => (await vendor.requests(model))[0]?.closedAt ?? undefined);
    expect(closedAt - startedAt).toBeGreaterThan(timeoutMs / 2);
    expect(closedAt - endedAt).toBeLessThan(30_000);
    expect(await endedRun(model)).toMatchObject({ status: "Cancelled" });
  });

  it("holds the vendor back while the caller does not read", async () => {
    const callerEnd = new AbortController();
    const model = "endless-20000";
    const chunks = stream(model, {}, { signal: callerEnd.signal })[Symbol.asyncIterator]();
    await chunks.next();
    const pieces = async () => (await vendor.requests(model))[0]?.pieces ?? 0;
    let before = -1;
    let now = await pieces();
    // the socket buffers fill up, then nothing comes any more
    for (let looks = 0; now !== before && looks < 50; looks += 1) {
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 300));
      now = await pieces();
    }
    expect(now).toBe(before);
    expect(now * 20_000).toBeLessThan(32 * 1024 * 1024);
    callerEnd.abort();
    await chunks.next().catch(() => undefined);
    expect(await endedRun(model)).toMatchObject({ status: "Cancelled" });
  });

  it("writes no content to logs, runs and events", async () => {
    const storedTexts = await fixture.rows<{ all: string }>(
      `select (select string_agg(o::text, '') from integration.outbox o)
         || (select string_agg(r::text, '') from integration.runs r) as all`,
    );
    expect(storedTexts[0]?.all).toContain("StreamModel");
    expect(storedTexts[0]?.all).not.toContain(secretWord);
    expect(logLines.join("")).not.toContain(secretWord);
  });
});

describe("the fallback of a call", () => {
  const withFallback = async (model: string, fallbackModel: string, more: { afterMs?: number } = {}) => {
    const second = await aModelConnection(fixture, principal, vendor.baseUrl);
    const first = await aModelConnection(fixture, principal, vendor.baseUrl);
    const request = { connectionId: first, fallback: { connectionId: second, model: fallbackModel, ...more } };
    return { first, second, request, chunks: all(model, request) };
  };

  it.each(["status-429", "status-500", "status-503"])(
    "answers instead of %s, and the run names both",
    async (model) => {
      const { first, second, chunks } = await withFallback(model, "words-2");
      expect((await chunks).map(({ delta }) => delta).join("")).toBe("w1 w2 ");
      expect((await chunks).every((chunk) => chunk.connectionId === second)).toBe(true);
      expect(await endedRun(model)).toMatchObject({
        status: "Completed",
        result: {
          connectionId: second,
          tries: [
            { connectionId: first, model, error: model === "status-429" ? "RATE_LIMITED" : "UPSTREAM_FAILED" },
            { connectionId: second, model: "words-2", error: null },
          ],
        },
      });
    },
  );

  it("answers instead of a vendor that gives no first token in time", async () => {
    const { second, chunks } = await withFallback("mute-3", "words-2", { afterMs: 300 });
    expect((await chunks).at(0)?.connectionId).toBe(second);
    expect(await endedRun("mute-3")).toMatchObject({ result: { tries: [{ error: "UPSTREAM_TIMEOUT" }, {}] } });
  });

  it("completes too", async () => {
    const { request, chunks } = await withFallback("status-502", "words-2");
    await chunks;
    const messages = [{ role: "user", content: "hello" }];
    const answer = await models.client.complete(
      { ...request, model: "hang-9", messages, fallback: { ...request.fallback, model: "echo", afterMs: 200 } },
      { headers },
    );
    expect(answer.content).toBe("echo: hello");
  });

  it.each([
    ["status-400-2", "MODEL_REQUEST_REFUSED"],
    ["garbage-2", "UPSTREAM_FAILED"],
    // the first token has come
    ["break-3", "UPSTREAM_FAILED"],
  ])("does not answer instead of %s", async (model, code) => {
    const fallbackModel = newId("prv");
    const { chunks } = await withFallback(model, fallbackModel);
    expect(await refusalOf(chunks)).toMatchObject({ code });
    expect(await vendor.requests(fallbackModel)).toEqual([]);
  });

  it("is refused when it is the connection of another tenant", async () => {
    const other = await aModelConnection(fixture, aPrincipal(), vendor.baseUrl);
    const refusal = await refusalOf(all("words-9", { fallback: { connectionId: other } }));
    expect(refusal.code).toBe("CONNECTION_NOT_FOUND");
    expect(await vendor.requests("words-9")).toEqual([]);
  });
});
