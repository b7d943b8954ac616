import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { keepingLogger } from "@factory/runtime/telemetry/logged-lines.fixture";
import type { SnapshotSource } from "@factory/runtime/tenant-facts/snapshot-source";
import type { TenantCopy } from "@factory/runtime/tenant-facts/tenant-copy";
import type { CompleteRequest, DeepPartial } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import type { ModelBudget } from "@factory/schema/tenant-setting-values";
import { refusalOf } from "../../connections/vendor-calls/vendor-connection.fixture.js";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { aModelConnection, aModelServer, KnownTokens, modelClient } from "./model-vendor.fixture.js";

/** The facts about this test's tenants, as the spine tells them. */
const copies = new Map<string, TenantCopy>();
const source: SnapshotSource = {
  tenants: async (ids) => ids.flatMap((id) => copies.get(id) ?? []),
  editions: async () => [{ code: "Free", version: 1, features: {} }],
  async *changedSince() {
    yield { tenants: [...copies.values()], readAtMs: Date.now() };
  },
};

let fixture: IntegrationFixture;
let vendor: Awaited<ReturnType<typeof aModelServer>>;
let models: Awaited<ReturnType<typeof modelClient>>;
let dead: Awaited<ReturnType<typeof aSpender>>;
const tokens = new KnownTokens();
const hour = 3600;

beforeAll(async () => {
  const logger = keepingLogger([]);
  const settings = { verifier: tokens, tenantSnapshots: async () => source };
  const starting = startIntegrationFixture(settings, logger, { ownServer: true });
  [fixture, vendor] = await Promise.all([starting, aModelServer()]);
  models = await modelClient(fixture, logger);
  dead = await aDeadCall();
});

afterAll(async () => {
  await models.close();
  await Promise.all([fixture.close(), vendor.close()]);
});

/** A tenant with these budgets, which calls models. */
async function aSpender(budgets: Readonly<Record<string, ModelBudget>>, more: object = {}) {
  const principal = aPrincipal();
  const tenantId = principal.tenantId ?? "";
  const facts = { version: 1, slug: "acme", status: "Active", editionCode: "Free", subscriptionStatus: "Active" };
  copies.set(tenantId, { tenantId, ...facts, settings: { "models.budgets": budgets, ...more }, limits: {} });
  const connectionId = await aModelConnection(fixture, principal, vendor.baseUrl);
  const headers = { authorization: `Bearer ${tokens.tokenOf(principal)}` };
  const requestOf = (model: string, more: DeepPartial<CompleteRequest> = {}) => ({
    ...{ connectionId, model, messages: [{ role: "user", content: "hello" }] },
    ...more,
  });
  return {
    principal,
    connectionId,
    complete(model: string, more: DeepPartial<CompleteRequest> = {}, signal?: AbortSignal) {
      return models.client.complete(requestOf(model, more), { headers, ...(signal && { signal }) });
    },
    async stream(model: string, more: DeepPartial<CompleteRequest> = {}) {
      let text = "";
      for await (const { delta } of models.client.stream(requestOf(model, more), { headers })) text += delta;
      return text;
    },
    /** The tokens that are used or reserved in the budget, rounded. */
    async used(budget: string, { tokens: all = 0, perSeconds }: ModelBudget): Promise<number> {
      const [row] = await fixture.rows<{ seconds: number }>(
        "select extract(epoch from token_at - now())::float8 as seconds from integration.model_budgets where tenant_id = $1 and budget = $2",
        decodeId("ten", tenantId),
        budget,
      );
      return Math.max(0, Math.round(((row?.seconds ?? 0) * all) / perSeconds));
    },
  };
}

const budget = { tokens: 10_000, perSeconds: 100 * hour };

/** A call as a process leaves it that dies before its end. */
async function aDeadCall() {
  const spender = await aSpender({ dead: budget });
  const { runId } = await spender.complete("dead", { maxTokens: 600 });
  const reservation = {
    budget: "dead",
    tokens: 610,
    promptTokens: 10,
    secondsPerToken: budget.perSeconds / budget.tokens,
  };
  await fixture.rows(
    `update integration.runs set status = 'Running', completed_at = null, result = null, payload = payload || $2::jsonb,
       deadline_at = now() - interval '2 minutes', created_at = now() - interval '10 minutes' where run_id = $1`,
    decodeId("run", runId),
    JSON.stringify({ reserved: reservation }),
  );
  await fixture.rows(
    "update integration.model_budgets set token_at = token_at + make_interval(secs => $1) where budget = 'dead'",
    ((610 - 18) * budget.perSeconds) / budget.tokens,
  );
  expect(await spender.used("dead", budget)).toBe(610);
  return spender;
}

describe("the budget of a tenant for a model", () => {
  it("is reserved by maxTokens before the call, and settled by the usage", async () => {
    const spender = await aSpender({ "held-1": budget });
    const pendingCall = spender.complete("held-1", { maxTokens: 6000 });
    await eventually(async () => (await vendor.requests("held-1"))[0]);
    // the prompt is estimated as 10 tokens
    expect(await spender.used("held-1", budget)).toBe(6010);
    const refusal = await refusalOf(spender.complete("held-1", { maxTokens: 6000 }));
    expect(refusal).toMatchObject({ code: "RATE_LIMITED", facts: { budget: "held-1" } });
    expect(refusal.facts["retryAfterSeconds"]).toBeGreaterThan(60 * hour * 0.3);
    await vendor.release("held-1");
    await pendingCall;
    expect(await spender.used("held-1", budget)).toBe(18);
    expect(await vendor.requests("held-1")).toHaveLength(1);
  });

  it("counts requests, and tells the time to come back in a trailer", async () => {
    const spender = await aSpender({ "*": { requests: 2, perSeconds: hour } });
    await spender.complete("echo");
    await spender.stream("words-1");
    let retryAfter: string | undefined;
    const onTrailer = (trailer: { get(name: string): string | Uint8Array | undefined }) => {
      retryAfter = trailer.get("retry-after") as string | undefined;
    };
    const request = { connectionId: spender.connectionId, model: "m", messages: [{ role: "user", content: "x" }] };
    const headers = { authorization: `Bearer ${tokens.tokenOf(spender.principal)}` };
    expect(await refusalOf(models.client.complete(request, { headers, onTrailer }))).toMatchObject({
      code: "RATE_LIMITED",
    });
    expect(Number(retryAfter)).toBeGreaterThan(1790);
    expect(Number(retryAfter)).toBeLessThanOrEqual(1800);
  });

  it("gives all back when the vendor refuses", async () => {
    const spender = await aSpender({ "status-400": budget, "status-500": budget });
    for (const model of ["status-400", "status-500"]) {
      await refusalOf(spender.complete(model));
      expect(await spender.used(model, budget)).toBe(0);
    }
  });

  it("counts an estimate when the vendor does not tell, and when a stream breaks off", async () => {
    const spender = await aSpender({ "quiet-40": budget, "break-40": budget });
    const text = await spender.stream("quiet-40");
    expect(await spender.used("quiet-40", budget)).toBe(10 + Math.ceil(text.length / 4));
    await refusalOf(spender.stream("break-40"));
    expect(await spender.used("break-40", budget)).toBe(10 + Math.ceil(text.length / 4));
  });

  it("keeps the reservation of a call that was cancelled, since the vendor may have worked", async () => {
    const spender = await aSpender({ "hang-7": budget });
    const callerEnd = new AbortController();
    const pendingCall = spender.complete("hang-7", { maxTokens: 500 }, callerEnd.signal).catch(() => undefined);
    await eventually(async () => (await vendor.requests("hang-7"))[0]);
    callerEnd.abort();
    await pendingCall;
    await eventually(async () => (await vendor.requests("hang-7"))[0]?.closedAt ?? undefined);
    expect(await spender.used("hang-7", budget)).toBe(510);
  });

  it("is settled once for a call whose run is cancelled between the answer and the end", async () => {
    const spender = await aSpender({ "held-2": budget });
    const pendingRefusal = refusalOf(spender.complete("held-2", { maxTokens: 600 }));
    await eventually(async () => (await vendor.requests("held-2"))[0]);
    // without a notice, so that the process finds it at the call's end
    await fixture.rows(
      "update integration.runs set status = 'Cancelled', fence = fence + 1 where payload->>'model' = 'held-2'",
    );
    await vendor.release("held-2");
    expect((await pendingRefusal).code).toBe("RUN_CANCELLED");
    expect(await spender.used("held-2", budget)).toBe(18);
  });

  it("is that of the fallback when the fallback answers", async () => {
    const spender = await aSpender({ "status-503": budget, echo: budget });
    const second = await aModelConnection(fixture, spender.principal, vendor.baseUrl);
    await spender.complete("status-503", { fallback: { connectionId: second, model: "echo" } });
    expect(await spender.used("status-503", budget)).toBe(0);
    expect(await spender.used("echo", budget)).toBe(18);
  });

  it("counts both requests and what both may have used where a model and its fallback share one budget", async () => {
    const sharedBudget = { requests: 3, ...budget };
    const spender = await aSpender({ "*": sharedBudget });
    const second = await aModelConnection(fixture, spender.principal, vendor.baseUrl);
    const fallback = { connectionId: second, model: "echo", afterMs: 300 };
    // a vendor that did not answer in time may have worked
    await spender.complete("hang-9", { fallback, maxTokens: 500 });
    expect(await spender.used("*", sharedBudget)).toBe(510 + 18);
    // one request is left, which the first model uses
    const refusal = await refusalOf(spender.complete("status-503", { fallback: { ...fallback, afterMs: 20_000 } }));
    expect(refusal).toMatchObject({ code: "RATE_LIMITED", facts: { budget: "*" } });
    expect(await spender.used("*", sharedBudget)).toBe(510 + 18);
  });

  it("is enough for a fallback when the vendor has refused and what was reserved comes back", async () => {
    const spender = await aSpender({ "*": { tokens: 700, perSeconds: 100 * hour } });
    const second = await aModelConnection(fixture, spender.principal, vendor.baseUrl);
    const fallback = { connectionId: second, model: "echo" };
    await spender.complete("status-503", { fallback, maxTokens: 600 });
    expect(await spender.used("*", { tokens: 700, perSeconds: 100 * hour })).toBe(18);
  });

  it("is right after many calls at once, whose beginnings and ends share transactions", async () => {
    const small = { tokens: 4000, perSeconds: 100 * hour };
    const spender = await aSpender({ echo: budget, "quiet-3": small, "status-500": budget });
    const calls = Array.from({ length: 60 }, (_, place) => ["echo", "quiet-3", "status-500"][place % 3] ?? "");
    const all = await Promise.allSettled(calls.map((model) => spender.complete(model, { maxTokens: 100 })));
    const answersFrom = (model: string) =>
      all.filter(({ status }, place) => calls[place] === model && status === "fulfilled");
    expect(["echo", "quiet-3", "status-500"].map((model) => answersFrom(model).length)).toEqual([20, 20, 0]);
    expect(await spender.used("echo", budget)).toBe(20 * 18);
    expect(await spender.used("quiet-3", small)).toBe(20 * (10 + Math.ceil("echo: hello".length / 4)));
    expect(await spender.used("status-500", budget)).toBe(0);
    const runs = await fixture.rows<{ status: string; count: number }>(
      `select status, count(*)::int as count from integration.runs
       where tenant_id = $1 and payload->>'model' is not null and not payload ? 'reserved' group by status order by status`,
      decodeId("ten", spender.principal.tenantId ?? ""),
    );
    expect(runs).toEqual([
      { status: "Completed", count: 40 },
      { status: "Failed", count: 20 },
    ]);
  });

  it("admits as many of the calls that come at once as it has requests", async () => {
    const spender = await aSpender({ "*": { requests: 4, perSeconds: 100 * hour } });
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => spender.complete("echo")));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
    const refusals = all.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: "RATE_LIMITED", facts: { budget: "*" } });
  });

  it("is given back in full when the vendor has refused and the budget of the fallback refuses too", async () => {
    const small = { tokens: 5, perSeconds: hour };
    const spender = await aSpender({ "status-503": budget, "hang-8": budget, echo: small });
    const second = await aModelConnection(fixture, spender.principal, vendor.baseUrl);
    const fallback = { connectionId: second, model: "echo", afterMs: 300 };
    const refusal = await refusalOf(spender.complete("status-503", { fallback: { ...fallback, afterMs: 20_000 } }));
    expect(refusal).toMatchObject({ code: "RATE_LIMITED", facts: { budget: "echo" } });
    expect(await spender.used("status-503", budget)).toBe(0);
    // a vendor that did not answer in time may have worked
    const late = await refusalOf(spender.complete("hang-8", { fallback, maxTokens: 500 }));
    expect(late).toMatchObject({ code: "RATE_LIMITED" });
    expect(await spender.used("hang-8", budget)).toBe(510);
  });

  it("is settled by the usage of an answer that is too long to be passed on", async () => {
    const spender = await aSpender({
      "long-1500000": budget,
      "long-3000000": { tokens: 10_000_000, perSeconds: hour },
    });
    expect((await refusalOf(spender.complete("long-1500000"))).code).toBe("PAYLOAD_TOO_LARGE");
    expect(await spender.used("long-1500000", budget)).toBe(18);
    // the vendor's count is in the part that did not come
    expect((await refusalOf(spender.complete("long-3000000"))).code).toBe("PAYLOAD_TOO_LARGE");
    expect(await spender.used("long-3000000", { tokens: 10_000_000, perSeconds: hour })).toBeGreaterThan(500_000);
  });

  it("and the run are settled after an outage of the database, and the caller gets its answer at once", async () => {
    const spender = await aSpender({ "held-3": budget });
    const pendingCall = spender.complete("held-3", { maxTokens: 600 });
    await eventually(async () => (await vendor.requests("held-3"))[0]);
    await fixture.rows("alter role suites_integration_app connection limit 0");
    await fixture.rows(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = 'suites_integration_app'",
    );
    await vendor.release("held-3");
    const { content, runId } = await pendingCall;
    expect(content).toBe("echo: hello");
    const statusOf = async () => {
      const [row] = await fixture.rows<{ status: string }>(
        "select status from integration.runs where run_id = $1",
        decodeId("run", runId),
      );
      return row?.status;
    };
    expect(await statusOf()).toBe("Running");
    expect(await spender.used("held-3", budget)).toBe(610);
    await fixture.rows("alter role suites_integration_app connection limit -1");
    await eventually(async () => ((await statusOf()) === "Completed" ? true : undefined));
    expect(await spender.used("held-3", budget)).toBe(18);
  });

  it("refuses a call without a run, so that refusals store nothing", async () => {
    const spender = await aSpender({ [`m-${newId("prv")}`]: budget, "*": { tokens: 5, perSeconds: hour } });
    const refusal = await refusalOf(spender.complete("large-model"));
    expect(refusal.facts["retryAfterSeconds"]).toBeUndefined();
    const runs = await fixture.rows("select 1 from integration.runs where payload->>'model' = 'large-model'");
    expect(runs).toEqual([]);
  });

  it("does not exist for a tenant that has an empty setting", async () => {
    const spender = await aSpender({});
    await spender.complete("free-model");
    const rows = await fixture.rows("select 1 from integration.model_budgets where budget = 'free-model'");
    expect(rows).toEqual([]);
  });
});

describe("the content of a call", () => {
  const secretWord = "glockenspiel-prompt";
  const messages = [{ role: "user", content: secretWord }];
  const contentOf = async (runId: string, reader: ReturnType<typeof aPrincipal>) => {
    const source = "query ($id: ID!) { modelContent(runId: $id) }";
    const { data, errors } = await fixture.run(reader, source, { id: runId });
    if (errors) throw errors[0];
    return data?.["modelContent"] as { request: object; answer: unknown } | null;
  };
  const readStoredTexts = async () => {
    const [row] = await fixture.rows<{ all: string }>(
      `select (select string_agg(c::text || encode(c.ciphertext, 'escape'), '') from integration.model_contents c)
         || (select string_agg(r::text, '') from integration.runs r)
         || (select string_agg(o::text, '') from integration.outbox o) as all`,
    );
    return row?.all ?? "";
  };

  it("is kept sealed where the tenant says so, for the caller and for who reads the audit log", async () => {
    const spender = await aSpender({}, { "models.contentDays": 3 });
    const { principal } = spender;
    const { runId } = await spender.complete("echo", { messages });
    const content = { request: { messages: [{ content: secretWord }] }, answer: { content: `echo: ${secretWord}` } };
    expect(await contentOf(runId, principal)).toMatchObject(content);
    const colleague = { ...aPrincipal({ tenantId: principal.tenantId ?? "" }), scopes: new Set(principal.scopes) };
    expect(await contentOf(runId, colleague)).toMatchObject(content);
    colleague.scopes.delete("audit.read");
    expect(await contentOf(runId, colleague)).toBeNull();
    expect(await readStoredTexts()).not.toContain(secretWord);
    await fixture.rows("update integration.model_contents set expires_at = now()");
    expect(await contentOf(runId, principal)).toBeNull();
    await fixture.prune();
    expect(await fixture.rows("select 1 from integration.model_contents")).toEqual([]);
  });

  it("is kept of streams, and of failed calls without an answer", async () => {
    const spender = await aSpender({}, { "models.contentDays": 3 });
    await spender.stream("words-2", { messages });
    await refusalOf(spender.complete("status-400", { messages }));
    const { data } = await fixture.run(spender.principal, "{ runs(first: 2) { edges { node { runId } } } }");
    const { runs } = data as { runs: { edges: { node: { runId: string } }[] } };
    const [failedContent, streamedContent] = await Promise.all(
      runs.edges.map(({ node }) => contentOf(node.runId, spender.principal)),
    );
    expect(failedContent).toMatchObject({ request: { messages: [{ content: secretWord }] }, answer: null });
    expect(streamedContent?.answer).toEqual([{ delta: "w1 " }, { delta: "w2 " }, { finishReason: "stop" }]);
  });

  it("is not kept by default", async () => {
    const spender = await aSpender({});
    const before = await fixture.rows("select 1 from integration.model_contents");
    const { runId } = await spender.complete("echo", { messages });
    expect(await contentOf(runId, spender.principal)).toBeNull();
    expect(await fixture.rows("select 1 from integration.model_contents")).toHaveLength(before.length);
    expect(await readStoredTexts()).not.toContain(secretWord);
  });
});

describe("the budget of a call whose process has died", () => {
  it("is settled by the prompt", async () => {
    await fixture.integration.jobs.sweep();
    await eventually(async () => ((await dead.used("dead", budget)) <= 10 ? true : undefined));
  });
});
