import type { Principal } from "@factory/runtime/auth/principal";
import type { DomainError } from "@factory/runtime/errors/domain-error";
import { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { keepingLogger } from "@factory/runtime/telemetry/logged-lines.fixture";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import {
  type CompleteRequest,
  type DeepPartial,
  type EmbedRequest,
  ModelInvocationDefinition,
} from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import type { Scope } from "@factory/schema/scopes";
import { refusalOf } from "../../connections/vendor-calls/vendor-connection.fixture.js";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { aModelConnection, aModelServer, KnownTokens, modelClient } from "./model-vendor.fixture.js";

const secretWord = "xylophone-secret-prompt";
const scopes: readonly Scope[] = ["integration.models.invoke"];

let fixture: IntegrationFixture;
let vendor: Awaited<ReturnType<typeof aModelServer>>;
let models: Awaited<ReturnType<typeof modelClient>>;
const tokens = new KnownTokens();
const logLines: string[] = [];
const principal = aPrincipal();
let token: string;
let connectionId: string;
let lostRunId: string | undefined;

beforeAll(async () => {
  const logger = keepingLogger(logLines);
  [fixture, vendor] = await Promise.all([startIntegrationFixture({ verifier: tokens }, logger), aModelServer()]);
  models = await modelClient(fixture, logger);
  token = tokens.tokenOf({ ...principal, scopes: new Set(scopes) });
  connectionId = await aModelConnection(fixture, principal, vendor.baseUrl);
  lostRunId = await aLostRun();
});

afterAll(async () => {
  await models.close();
  await Promise.all([fixture.close(), vendor.close()]);
});

interface Sent {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Completes, and gives the answer or the refusal with the trailers. */
async function complete(model: string, more: DeepPartial<CompleteRequest> = {}, { headers = {}, signal }: Sent = {}) {
  const trailers = new Map<string, string>();
  const request = { connectionId, model, messages: [{ role: "user", content: secretWord }], ...more };
  const answer = models.client.complete(request, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(signal && { signal }),
    onTrailer: (trailer) => {
      for (const [key, [value]] of trailer) if (typeof value === "string") trailers.set(key, value);
    },
  });
  const result = await answer.then(
    (value) => ({ value, error: undefined }),
    (error: DomainError) => ({ value: undefined, error }),
  );
  return { ...result, trailer: (name: string) => trailers.get(name) };
}

/** A run as a process leaves it that dies while it waits for the vendor. */
async function aLostRun(): Promise<string | undefined> {
  const { trailer } = await complete("lost");
  await fixture.rows(
    `update integration.runs set status = 'Running', completed_at = null, result = null,
       deadline_at = now() - interval '2 minutes', created_at = now() - interval '10 minutes'
     where payload->>'model' = 'lost'`,
  );
  return trailer("run-id");
}

interface StoredRun {
  status: string;
  operation: string;
  result: Record<string, unknown>;
  error_code: string | null;
  traceparent: string;
  correlation_id: string;
  requested_by: string;
}

async function runOf(runId: string | undefined, of: Principal = principal) {
  const source =
    "query ($id: ID!) { run(runId: $id) { status operation connectionId attempts result error { code } } }";
  const { data, errors } = await fixture.run(of, source, { id: runId });
  if (errors) throw errors[0];
  return data?.["run"] as Record<string, unknown>;
}

const eventsOf = (runId: string | undefined) =>
  fixture.rows<{ type: string; data: Record<string, unknown> }>(
    `select envelope->>'type' as type, envelope->'data' as data from integration.outbox
     where envelope->>'subject' = $1 and envelope->>'type' <> 'AuditRecord' order by seq`,
    `runs/${runId}`,
  );

describe("svc.model.v1.ModelInvocation/Complete", () => {
  it("answers through the connection, as a run with an event", async () => {
    const trace = continueTrace(undefined);
    const headers = {
      ...{ "x-tenant-id": principal.tenantId ?? "", "correlation-id": "order-17" },
      traceparent: `00-${trace.traceId}-${"1".repeat(16)}-01`,
    };
    const { value, error, trailer } = await complete("echo", { temperature: 0.5, maxTokens: 50 }, { headers });
    expect(error).toBeUndefined();
    const usage = { promptTokens: 11, completionTokens: 7, totalTokens: 18, cachedTokens: 3 };
    const runId = trailer("run-id");
    expect(value).toEqual({
      ...{
        content: `echo: ${secretWord}`,
        refusal: "",
        toolCalls: [],
        finishReason: "stop",
        usage,
        model: "echo-2026",
      },
      ...{ runId, connectionId },
    });
    expect(trailer("trace-id")).toBe(trace.traceId);
    expect(await runOf(runId)).toEqual({
      ...{ status: "Completed", operation: "CompleteModel", connectionId, attempts: 1, error: null },
      result: {
        ...{ connectionId, model: "echo", finishReason: "stop", usage },
        tries: [{ connectionId, model: "echo", error: null }],
      },
    });
    expect(await eventsOf(runId)).toEqual([
      {
        type: "ModelInvocationCompleted",
        data: {
          ...{ runId, operation: "CompleteModel", connectionId, model: "echo", finishReason: "stop", usage },
          tries: [{ connectionId, model: "echo", error: null }],
        },
      },
    ]);
    const [storedRun] = await fixture.rows<StoredRun>(
      "select * from integration.runs where correlation_id = 'order-17' and operation = 'CompleteModel'",
    );
    expect(storedRun).toMatchObject({ requested_by: principal.subject });
    expect(storedRun?.traceparent).toContain(trace.traceId);
    const [request] = await vendor.requests("echo");
    expect(request?.headers["traceparent"]).toContain(trace.traceId);
    expect(request).toMatchObject({
      path: "/v1/chat/completions",
      body: {
        ...{ model: "echo", messages: [{ role: "user", content: secretWord }] },
        ...{ temperature: 0.5, max_tokens: 50 },
      },
    });
  });

  it("passes tools on, and gives the calls that the model asks for", async () => {
    const parametersJson = '{"type":"object","properties":{"city":{"type":"string"}}}';
    const call = { id: "call_0", name: "weather", argumentsJson: '{"city":"Bergen"}' };
    const { value, error } = await complete("tools", {
      messages: [
        { role: "user", content: "Weather?" },
        { role: "assistant", toolCalls: [call] },
        { role: "tool", toolCallId: "call_0", content: "rain" },
      ],
      tools: [{ name: "weather", description: "Tells the weather.", parametersJson }],
      toolChoice: "weather",
    });
    expect(error).toBeUndefined();
    expect(value).toMatchObject({
      ...{ content: "", finishReason: "tool_calls" },
      toolCalls: [{ id: "call_1", name: "weather", argumentsJson: '{"city":"Oslo"}' }],
    });
    const [request] = await vendor.requests("tools");
    expect(request?.body).toEqual({
      model: "tools",
      messages: [
        { role: "user", content: "Weather?" },
        {
          ...{ role: "assistant", content: null },
          tool_calls: [
            { id: "call_0", type: "function", function: { name: "weather", arguments: '{"city":"Bergen"}' } },
          ],
        },
        { role: "tool", content: "rain", tool_call_id: "call_0" },
      ],
      tools: [
        {
          type: "function",
          function: { name: "weather", description: "Tells the weather.", parameters: JSON.parse(parametersJson) },
        },
      ],
      tool_choice: { type: "function", function: { name: "weather" } },
    });
  });

  it.each([
    ["status-400", "MODEL_REQUEST_REFUSED", "status 400 (context_length_exceeded)"],
    ["status-500", "UPSTREAM_FAILED", "status 500"],
    ["garbage", "UPSTREAM_FAILED", "not an answer of a model"],
    ["long-1500000", "PAYLOAD_TOO_LARGE", "too long"],
    ["long-3000000", "PAYLOAD_TOO_LARGE", "too long"],
  ])("tells the failure of %s, in the run and in an event too", async (model, code, text) => {
    const { error, trailer } = await complete(model);
    expect(error).toMatchObject({ code, message: expect.stringContaining(text) });
    const runId = trailer("run-id");
    expect(await runOf(runId)).toMatchObject({ status: "Failed", error: { code } });
    expect(await eventsOf(runId)).toMatchObject([
      {
        type: "ModelInvocationFailed",
        data: { runId, status: "Failed", error: { code }, tries: [{ connectionId, model, error: code }] },
      },
    ]);
  });

  it("says when to call again after a limit of the vendor", async () => {
    const limitedConnection = await aModelConnection(fixture, principal, vendor.baseUrl);
    const { error, trailer } = await complete("status-429", { connectionId: limitedConnection });
    expect(error).toMatchObject({ code: "RATE_LIMITED" });
    expect(trailer("retry-after")).toBe("7");
  });

  it("ends the call at the vendor soon after the caller has cancelled", async () => {
    const callerEnd = new AbortController();
    const pendingCall = complete("hang", {}, { signal: callerEnd.signal });
    const [arrivals] = await eventually(async () => ((await vendor.requests("hang")).length > 0 ? [1] : undefined));
    expect(arrivals).toBe(1);
    const cancelledAt = Date.now();
    callerEnd.abort();
    await pendingCall;
    const closedAt = await eventually(async () => (await vendor.requests("hang"))[0]?.closedAt ?? undefined);
    // on an idle machine within 100 ms; a call that goes on would end after minutes
    expect(closedAt - cancelledAt).toBeLessThan(30_000);
    const [run] = await eventually(async () => {
      const runs = await fixture.rows<StoredRun>(
        "select * from integration.runs where payload->>'model' = 'hang' and status <> 'Running'",
      );
      return runs.length > 0 ? runs : undefined;
    });
    expect(run).toMatchObject({ status: "Cancelled", error_code: "CALL_CANCELLED" });
  });

  it("ends the call at the vendor when the run is cancelled", async () => {
    const pendingCall = complete("hang-2");
    await eventually(async () => (await vendor.requests("hang-2"))[0]);
    const [row] = await fixture.rows<{ id: string }>(
      "select run_id as id from integration.runs where payload->>'model' = 'hang-2'",
    );
    const { data } = await fixture.run(principal, "{ runs(first: 1) { edges { node { runId } } } }");
    const runId = data?.["runs"].edges[0].node.runId as string;
    expect(row).toBeDefined();
    const { errors } = await fixture.run(principal, "mutation ($id: ID!) { cancelRun(runId: $id) { status } }", {
      id: runId,
    });
    expect(errors).toBeUndefined();
    const { error, trailer } = await pendingCall;
    expect(error).toMatchObject({ code: "RUN_CANCELLED" });
    expect(trailer("run-id")).toBe(runId);
    await eventually(async () => (await vendor.requests("hang-2"))[0]?.closedAt ?? undefined);
    expect(await eventsOf(runId)).toMatchObject([{ type: "ModelInvocationFailed", data: { status: "Cancelled" } }]);
  });

  it("refuses a call without a token, with another tenant's, and without the scope, before the vendor is asked", async () => {
    const foreign = aPrincipal();
    const other = await aModelConnection(fixture, foreign, vendor.baseUrl);
    const withScopes = (callerScopes: readonly Scope[]) =>
      `Bearer ${tokens.tokenOf({ ...principal, scopes: new Set(callerScopes) })}`;
    const refusals = [
      [{}, { authorization: "" }, "UNAUTHENTICATED"],
      [{}, { authorization: "Bearer unknown" }, "TOKEN_INVALID"],
      [{}, { authorization: withScopes(["integration.connections.read"]) }, "INSUFFICIENT_SCOPE"],
      [{}, { "x-tenant-id": foreign.tenantId ?? "" }, "TENANT_MISMATCH"],
      [{}, { "correlation-id": "two words" }, "VALIDATION_FAILED"],
      [{ connectionId: other }, {}, "CONNECTION_NOT_FOUND"],
      [{ connectionId: newId("con") }, {}, "CONNECTION_NOT_FOUND"],
    ] as const;
    for (const [request, headers, code] of refusals)
      expect((await complete("refused", request, { headers })).error).toMatchObject({ code });
    expect(await vendor.requests("refused")).toEqual([]);
  });

  it("refuses a caller without a certificate, or with one of another authority", async () => {
    const server = "integration";
    const other = await modelClient(fixture, keepingLogger([]));
    const strange = new GrpcChannel({
      ...{ address: models.address, server, timeoutMs: 30_000 },
      certificate: { ...other.certificates.product, authority: models.certificates.product.authority },
    });
    const client = strange.client(ModelInvocationDefinition);
    const refusal = await refusalOf(client.complete({}, { headers: { authorization: `Bearer ${token}` } }));
    expect(refusal.code).toBe("UNAVAILABLE");
    strange.close();
    await other.close();
  });

  it("refuses a connection whose provider lacks the capability", async () => {
    const capabilities = ["model.embed"];
    const limitedConnection = await aModelConnection(fixture, principal, vendor.baseUrl, { capabilities });
    expect((await complete("refused", { connectionId: limitedConnection })).error).toMatchObject({
      code: "CAPABILITY_MISSING",
    });
  });

  it.each<[string, DeepPartial<CompleteRequest>]>([
    ["/messages", { messages: [] }],
    ["/messages/0/role", { messages: [{ role: "boss", content: secretWord }] }],
    ["/messages/0/toolCallId", { messages: [{ role: "tool", content: secretWord }] }],
    ["/model", { model: "a\nb" }],
    ["/tools/0/parametersJson", { tools: [{ name: "x", parametersJson: "[1]" }] }],
    ["/tools/0/parametersJson", { tools: [{ name: "x", parametersJson: `{"a":${"[".repeat(70)}${"]".repeat(70)}}` }] }],
    ["/toolChoice", { toolChoice: "missing" }],
    ["/temperature", { temperature: Number.NaN }],
    ["/maxTokens", { maxTokens: 0 }],
  ])("refuses a wrong %s without repeating it", async (pointer, more) => {
    const { error } = await complete("refused", more);
    expect(error).toMatchObject({ code: "VALIDATION_FAILED", facts: { errors: [{ pointer }] } });
    expect(JSON.stringify(error)).not.toContain(secretWord);
  });

  it("writes no content to logs, runs, events and errors", async () => {
    const { error } = await complete("status-400");
    expect(error?.message).not.toContain(secretWord);
    const storedTexts = await fixture.rows<{ all: string }>(
      `select (select string_agg(o::text, '') from integration.outbox o)
         || (select string_agg(r::text, '') from integration.runs r) as all`,
    );
    expect(storedTexts[0]?.all).toContain("CompleteModel");
    expect(storedTexts[0]?.all).not.toContain(secretWord);
    expect(logLines.join("")).not.toContain(secretWord);
  });

  it("ends a run whose process died as Failed", async () => {
    await fixture.integration.jobs.sweep();
    const endedRun = await eventually(async () => {
      const run = await runOf(lostRunId);
      return run["status"] === "Running" ? undefined : run;
    });
    expect(endedRun).toMatchObject({ status: "Failed", error: { code: "WORKER_DIED" } });
    expect((await eventsOf(lostRunId)).map(({ type }) => type)).toEqual([
      "ModelInvocationCompleted",
      "ModelInvocationFailed",
    ]);
  });
});

describe("svc.model.v1.ModelInvocation/Embed", () => {
  const embed = (model: string, more: DeepPartial<EmbedRequest> = {}) =>
    models.client.embed(
      { connectionId, model, inputs: ["a", "four"], ...more },
      { headers: { authorization: `Bearer ${token}` } },
    );

  it.each(["vectors", "numbers"])("gives %s in the order of the inputs", async (model) => {
    const { embeddings, usage, runId } = await embed(model);
    expect(embeddings).toEqual([{ values: [1, 1.5, 2] }, { values: [4, 4.5, 5] }]);
    expect(usage).toEqual({ promptTokens: 5, completionTokens: 0, totalTokens: 5, cachedTokens: 0 });
    expect(await runOf(runId)).toMatchObject({ status: "Completed", operation: "EmbedModel" });
  });

  it("refuses an empty input, and an answer that does not fit into a message", async () => {
    expect(await refusalOf(embed("vectors", { inputs: ["a", ""] }))).toMatchObject({
      code: "VALIDATION_FAILED",
      facts: { errors: [{ pointer: "/inputs/1" }] },
    });
    const inputs = Array.from({ length: 200 }, () => "a");
    expect(await refusalOf(embed("vectors", { inputs, dimensions: 2000 }))).toMatchObject({
      code: "PAYLOAD_TOO_LARGE",
    });
  });
});
