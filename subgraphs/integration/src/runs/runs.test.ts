import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { RunLost } from "@factory/runtime/runs/run-lost";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { Database } from "@factory/runtime/unit-of-work/database";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../integration.fixture.js";
import { integrationTables } from "../tables.js";
import { RunService } from "./run.service.js";
import { RunCounts } from "./run-counts.js";
import { storeProgress } from "./run-moves.js";
import { AwaitedOutcome, type RunHandler, RunOperations, RunPause } from "./run-operations.js";
import { causeOfRun, type RunRecord } from "./run-record.js";

/** The handler for the one operation that no slice handles. Each test replaces it. */
let handler: Partial<RunHandler> = {};

const handlerOfTest: RunHandler = {
  get delaysSeconds() {
    return handler.delaysSeconds ?? [];
  },
  get timeLimitSeconds() {
    return handler.timeLimitSeconds ?? 5;
  },
  work: async (run, attempt) => handler.work?.(run, attempt),
  ended: async (transaction, run, end) => handler.ended?.(transaction, run, end),
  attemptFailed: async (transaction, run, error) => handler.attemptFailed?.(transaction, run, error),
};

describe("runs", () => {
  let fixture: IntegrationFixture;
  let database: Database;

  beforeAll(async () => {
    fixture = await startIntegrationFixture();
    fixture.integration.get(RunOperations).add("RefreshToken", handlerOfTest);
    database = await Database.open(
      { connections: fixture.connections, ...integrationTables },
      createLogger("test", "silent"),
    );
  });

  afterAll(async () => {
    await database.close();
    await fixture.close();
  });

  const service = () => fixture.integration.get(RunService);
  const start = (principal: Principal, more = {}): Promise<RunRecord> =>
    database.transaction(
      tenantWithId(principal.tenantId ?? ""),
      { trace: continueTrace(undefined), actorId: principal.subject },
      (transaction) => service().startIn(transaction, { operation: "RefreshToken", ...more }),
    );
  const untilEnded = (principal: Principal, { runId }: RunRecord) =>
    service().waitFor(tenantWithId(principal.tenantId ?? ""), runId, 60_000);
  const contextOf = (principal: Principal) => requestContext({ principal, trace: continueTrace(undefined) });
  const eventsOf = async ({ runId }: RunRecord) => {
    const rows = await fixture.rows<{ type: string }>(
      "select envelope->>'type' as type from integration.outbox where envelope->>'subject' = $1 and envelope->>'type' like 'Run%' order by seq",
      `runs/${runId}`,
    );
    return rows.map(({ type }) => type);
  };

  it("end with their result and say so in events, once", async () => {
    const principal = aPrincipal();
    const connectionId = newId("con");
    const effects: string[] = [];
    handler = {
      work: async (run) => ({ echoed: run.payload["word"] }),
      ended: async (_, run, end) => void effects.push(`${run.status} ${JSON.stringify(end)}`),
    };
    const run = await start(principal, { connectionId, payload: { word: "hello" } });
    expect(run).toMatchObject({ status: "Queued", attempts: 0, startedAt: null, connectionId });
    expect(await untilEnded(principal, run)).toMatchObject({
      status: "Completed",
      attempts: 1,
      result: { echoed: "hello" },
      error: null,
      requestedBy: principal.subject,
      traceId: run.traceId,
    });
    expect(effects).toEqual(['Completed {"status":"Completed","result":{"echoed":"hello"}}']);
    expect(await eventsOf(run)).toEqual(["RunStarted", "RunCompleted"]);
    expect(fixture.integration.get(RunCounts).all).toContainEqual({
      operation: "RefreshToken",
      outcome: "Completed",
      count: 1,
    });
  });

  it("name the project of their connection in their events", async () => {
    const principal = aPrincipal();
    handler = {};
    const run = await start(principal, { projectId: "orders" });
    await untilEnded(principal, run);
    const rows = await fixture.rows<{ project: string | null }>(
      "select envelope->>'projectid' as project from integration.outbox where envelope->>'subject' = $1",
      `runs/${run.runId}`,
    );
    expect(rows.map(({ project }) => project)).toEqual(["orders", "orders"]);
  });

  it("are tried again after a failure that may pass, and tell the last error", async () => {
    const principal = aPrincipal();
    const failures: string[] = [];
    const vendorError = new DomainError("UPSTREAM_FAILED", { detail: "The vendor answered 502." });
    handler = {
      delaysSeconds: [0.01, 0.01],
      work: async (_, { number }) => {
        if (number < 3) throw vendorError;
        return {};
      },
      attemptFailed: async (_, run, error) => void failures.push(`${run.status} ${run.attempts} ${error.code}`),
    };
    const run = await start(principal);
    expect(await untilEnded(principal, run)).toMatchObject({ status: "Completed", attempts: 3, error: null });
    expect(failures).toEqual(["RetryScheduled 1 UPSTREAM_FAILED", "RetryScheduled 2 UPSTREAM_FAILED"]);
    expect(await eventsOf(run)).toEqual(["RunStarted", "RunCompleted"]);
  });

  it("wait for an outcome from elsewhere without a place, and end by it, or ask for it later", async () => {
    const principal = aPrincipal();
    const ends: string[] = [];
    handler = {
      work: async (_, { number }) => (number === 1 ? new AwaitedOutcome(3600, {}) : { asked: true }),
      ended: async (_, { status }) => void ends.push(status),
    };
    const [settledRun, askedRun] = [await start(principal), await start(principal)];
    const tenant = tenantWithId(settledRun.tenantId);
    const isWaiting = async ({ runId }: RunRecord) =>
      (await service().find(tenant, runId))?.status === "RetryScheduled" || undefined;
    await eventually(() => isWaiting(settledRun));
    await eventually(() => isWaiting(askedRun));
    const jobs = "select state from integration_jobs.job where singleton_key = any ($1) and state < 'completed'";
    expect(await fixture.rows(jobs, [settledRun.runId, askedRun.runId])).toEqual([
      { state: "created" },
      { state: "created" },
    ]);
    const settle = () =>
      database.transaction(tenant, { trace: continueTrace(undefined) }, async (transaction) => {
        const lockedRecord = await service().lockIn(transaction, settledRun.runId);
        return service().settleIn(transaction, lockedRecord, { status: "Completed", result: { told: true } });
      });
    expect(await settle()).toMatchObject({ status: "Completed", result: { told: true }, attempts: 1, error: null });
    expect(await settle()).toBeUndefined();
    await fixture.rows("update integration_jobs.job set start_after = now() where singleton_key = $1", askedRun.runId);
    expect(await untilEnded(principal, askedRun)).toMatchObject({
      status: "Completed",
      result: { asked: true },
      attempts: 2,
    });
    expect(ends).toEqual(["Completed", "Completed"]);
    expect(await eventsOf(settledRun)).toEqual(["RunStarted", "RunCompleted"]);
  });

  it("ask for an awaited outcome as often as the operation allows, however often the work was tried before", async () => {
    const principal = aPrincipal();
    handler = {
      delaysSeconds: [0.01, 0.01],
      work: async (_, { number }) => {
        if (number === 3) return new AwaitedOutcome(0.01, {});
        if (number < 6) throw new DomainError("UPSTREAM_FAILED", { detail: "The vendor answered 502." });
        return { asked: true };
      },
    };
    const outcome = { status: "Completed", attempts: 6, maxAttempts: 6, result: { asked: true } };
    expect(await untilEnded(principal, await start(principal))).toMatchObject(outcome);
  });

  it("fail at once where another attempt cannot help, and after the last attempt otherwise", async () => {
    const principal = aPrincipal();
    handler = {
      delaysSeconds: [0.01],
      work: async (run) => {
        if (run.payload["refused"]) throw new DomainError("CREDENTIAL_NOT_FOUND", { detail: "It was revoked." });
        throw new Error("a detail that nobody may see");
      },
    };
    const refusedRun = await start(principal, { payload: { refused: true } });
    expect(await untilEnded(principal, refusedRun)).toMatchObject({
      status: "Failed",
      attempts: 1,
      error: { code: "CREDENTIAL_NOT_FOUND", detail: "It was revoked." },
    });
    const brokenRun = await start(principal);
    expect(await untilEnded(principal, brokenRun)).toMatchObject({
      status: "Failed",
      attempts: 2,
      error: { code: "INTERNAL", detail: "An internal error occurred." },
    });
    expect(await eventsOf(brokenRun)).toEqual(["RunStarted", "RunFailed"]);
  });

  it("pause and go on in the same attempt, from where they were", async () => {
    const principal = aPrincipal();
    handler = {
      work: async (run) => {
        const turns = Number(run.checkpoint?.["turns"] ?? 0) + 1;
        await database.transaction(tenantWithId(run.tenantId), causeOfRun(run), (transaction) =>
          storeProgress(transaction, run, { progress: { turns }, checkpoint: { turns } }),
        );
        return turns < 3 ? new RunPause(0) : { turns };
      },
    };
    const run = await start(principal);
    expect(await untilEnded(principal, run)).toMatchObject({
      ...{ status: "Completed", attempts: 1, fence: 3, progress: { turns: 3 }, result: { turns: 3 } },
    });
    expect(await eventsOf(run)).toEqual(["RunStarted", "RunCompleted"]);
  });

  it("are cancelled during a pause, and what a cancelled run does is not stored", async () => {
    const principal = aPrincipal();
    let storing: Promise<unknown> | undefined;
    handler = {
      work: async (run) => {
        await service().cancel(contextOf(principal), run.runId);
        storing = database.transaction(tenantWithId(run.tenantId), causeOfRun(run), (transaction) =>
          storeProgress(transaction, run, { progress: {}, checkpoint: {} }),
        );
        await storing;
        return undefined;
      },
    };
    const cancelledRun = await untilEnded(principal, await start(principal));
    expect(cancelledRun).toMatchObject({ status: "Cancelled", progress: null });
    await expect(eventually(() => storing)).rejects.toThrow(RunLost);
    handler = { work: async () => new RunPause(60) };
    const run = await start(principal);
    await eventually(async () => {
      const { nextAttemptAt } = (await service().find(tenantWithId(run.tenantId), run.runId)) ?? {};
      return nextAttemptAt ?? undefined;
    });
    expect(await service().cancel(contextOf(principal), run.runId)).toMatchObject({ status: "Cancelled" });
  });

  it("end as TimedOut at their time limit, also when the work ignores the signal", async () => {
    const principal = aPrincipal();
    const effects: string[] = [];
    let finish = (): void => undefined;
    handler = {
      timeLimitSeconds: 0.2,
      work: () => new Promise((resolve) => (finish = () => resolve({ late: true }))),
      ended: async (_, run) => void effects.push(run.status),
    };
    const run = await start(principal);
    const timedOut = await untilEnded(principal, run);
    expect(timedOut).toMatchObject({ status: "TimedOut", error: { code: "RUN_TOO_LONG" } });
    finish();
    expect(await service().find(tenantWithId(principal.tenantId ?? ""), run.runId)).toEqual(timedOut);
    expect(effects).toEqual(["TimedOut"]);
    expect(await eventsOf(run)).toEqual(["RunStarted", "RunTimedOut"]);
  });

  it("are cancelled while they wait and while they run, and only the cancellation is applied", async () => {
    const principal = aPrincipal();
    const effects: string[] = [];
    let announceStart = (): void => undefined;
    const running = new Promise<void>((resolve) => (announceStart = resolve));
    let isAborted = false;
    handler = {
      work: (run, { signal }) =>
        new Promise((_, reject) => {
          announceStart();
          signal.addEventListener("abort", () => {
            isAborted = true;
            reject(new Error(`aborted ${run.runId}`));
          });
        }),
      ended: async (_, run) => void effects.push(run.status),
    };
    const cancel = async (runId: string, by = principal) =>
      fixture.run(by, "mutation ($runId: ID!) { cancelRun(runId: $runId) { status error { code } completedAt } }", {
        runId,
      });
    const plannedRun = await start(principal, { startAfter: new Date(Date.now() + 3_600_000) });
    expect((await cancel(plannedRun.runId)).data?.["cancelRun"]).toMatchObject({
      status: "Cancelled",
      error: { code: "RUN_CANCELLED" },
    });
    const run = await start(principal);
    await running;
    expect((await cancel(run.runId, aPrincipal())).errors?.[0]?.extensions).toMatchObject({ code: "RUN_NOT_FOUND" });
    expect((await cancel(run.runId)).data?.["cancelRun"]).toMatchObject({ status: "Cancelled" });
    await eventually(() => isAborted || undefined);
    expect((await cancel(run.runId)).data?.["cancelRun"]).toMatchObject({ status: "Cancelled" });
    expect(effects).toEqual(["Cancelled", "Cancelled"]);
    expect(await eventsOf(run)).toEqual(["RunStarted", "RunCancelled"]);
    handler = {};
    const endedRun = await start(principal);
    await untilEnded(principal, endedRun);
    expect((await cancel(endedRun.runId)).errors?.[0]?.extensions).toMatchObject({
      code: "INVALID_STATE",
      currentState: "Completed",
    });
  });

  it("do not end a second time when a job comes twice or late", async () => {
    const principal = aPrincipal();
    let works = 0;
    handler = {
      work: async () => {
        works += 1;
        return {};
      },
    };
    const run = await start(principal);
    const end = await untilEnded(principal, run);
    const { tenantId, runId } = run;
    await fixture.rows(
      `insert into integration_jobs.job (name, data, group_id, singleton_key, policy, retry_limit, expire_seconds, keep_until)
       select name, $1::jsonb, $2, $3, policy, 2, 60, now() + interval '1 day'
       from integration_jobs.queue where name = 'integration.runs'`,
      JSON.stringify({ tenantId, runId, attempt: 1 }),
      tenantId,
      runId,
    );
    await eventually(async () => {
      const [{ left } = { left: 1 }] = await fixture.rows<{ left: number }>(
        "select count(*)::int as left from integration_jobs.job where singleton_key = $1 and state < 'completed'",
        runId,
      );
      return left === 0 || undefined;
    });
    expect(works).toBe(1);
    expect(await service().find(tenantWithId(tenantId), runId)).toEqual(end);
  });

  it("are found without their job only when they are due", async () => {
    const principal = aPrincipal();
    handler = {};
    const run = await start(principal, { startAfter: new Date(Date.now() + 3_600_000) });
    const uuid = decodeId("run", run.runId);
    const { jobs } = fixture.integration;
    await fixture.rows("delete from integration_jobs.job where singleton_key = $1", run.runId);
    await fixture.rows("update integration.runs set created_at = now() - interval '1 hour' where run_id = $1", uuid);
    expect(await jobs.lying()).toMatchObject({ runs: 0 });
    const due = "update integration.runs set next_attempt_at = now() - interval '2 min' where run_id = $1";
    await fixture.rows(due, uuid);
    expect(await jobs.lying()).toMatchObject({ runs: 1 });
    await fixture.rows("delete from integration.runs where run_id = $1", uuid);
  });

  it("are listed newest first, with filters, for their tenant only", async () => {
    const principal = aPrincipal();
    handler = {};
    const [connectionId, deliveryId] = [newId("con"), newId("whd")];
    const first = await start(principal, { connectionId, deliveryId });
    const second = await start(principal, { operation: "SendSms", startAfter: new Date(Date.now() + 3_600_000) });
    await untilEnded(principal, first);
    const list = async (filter: object, by = principal) => {
      const query = "query ($filter: RunFilterInput) { runs(filter: $filter) { items { runId } } }";
      const { data, errors } = await fixture.run(by, query, { filter });
      const items = data?.["runs"]?.items as { runId: string }[] | undefined;
      return items?.map(({ runId }) => runId) ?? errors?.[0]?.extensions["code"];
    };
    expect(await list({})).toEqual([second.runId, first.runId]);
    expect(await list({ status: "Completed" })).toEqual([first.runId]);
    expect(await list({ operation: "SendSms" })).toEqual([second.runId]);
    expect(await list({ connectionId })).toEqual([first.runId]);
    expect(await list({ credentialId: "nonsense" })).toEqual([]);
    expect(await list({ deliveryId })).toEqual([first.runId]);
    expect(await list({ deliveryId: newId("whd") })).toEqual([]);
    expect(await list({ since: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
    expect(await list({ since: "yesterday" })).toBe("VALIDATION_FAILED");
    expect(await list({}, aPrincipal())).toEqual([]);
  });

  it("tell their states to a subscriber, also those before", async () => {
    const principal = aPrincipal();
    handler = { delaysSeconds: [0.01], work: async (_, { number }) => failFirst(number) };
    const run = await start(principal);
    const states: unknown[] = [];
    const query = `subscription ($runId: ID!, $after: Int) {
      runStatusChanged(runId: $runId, after: $after) { sequence status attempts run { status } } }`;
    const feed = await fixture.follow(principal, query, { runId: run.runId });
    for (let item = await feed.next(); !item.done; item = await feed.next()) states.push(item.value.data);
    expect(states.map((data) => (data as Record<string, { status: string }>)["runStatusChanged"]?.status)).toEqual([
      "Queued",
      "Running",
      "RetryScheduled",
      "Running",
      "Completed",
    ]);
    expect(states.at(-1)).toMatchObject({
      runStatusChanged: { sequence: 5, attempts: 2, run: { status: "Completed" } },
    });
    const rest = await fixture.follow(principal, query, { runId: run.runId, after: 4 });
    expect((await rest.next()).value.data.runStatusChanged.sequence).toBe(5);
    expect((await rest.next()).done).toBe(true);
  });

  it("start at once though the vendors of ten other tenants do not answer, and hold no database connection", async () => {
    let begunCount = 0;
    let answer = (): void => undefined;
    const answerCame = new Promise<void>((resolve) => (answer = resolve));
    handler = {
      timeLimitSeconds: 60,
      work: async ({ payload }) => {
        if (!payload["hangs"]) return {};
        begunCount += 1;
        await answerCame;
        return {};
      },
    };
    const tenants = Array.from({ length: 10 }, () => aPrincipal());
    const hanging: RunRecord[] = [];
    for (const principal of tenants)
      for (let count = 0; count < 6; count += 1) hanging.push(await start(principal, { payload: { hangs: true } }));
    await eventually(() => begunCount >= 40 || undefined);
    // other work in the process has transactions for a moment
    await eventually(async () => {
      const idle =
        "select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'";
      return (await fixture.rows(idle)).length === 0 || undefined;
    });
    const late = aPrincipal();
    const begunAt = performance.now();
    const run = await start(late);
    expect(await untilEnded(late, run)).toMatchObject({ status: "Completed" });
    // far less than the time limit for the runs that hang
    expect(performance.now() - begunAt).toBeLessThan(20_000);
    // A tenant holds at most four places.
    expect(begunCount).toBe(40);
    answer();
    await Promise.all(hanging.map(({ tenantId, runId }) => service().waitFor(tenantWithId(tenantId), runId, 20_000)));
    expect(begunCount).toBe(60);
  });

  it("let a reader wait for their end, and not longer than it asked", async () => {
    const principal = aPrincipal();
    let finish = (): void => undefined;
    const gate = new Promise<void>((resolve) => (finish = resolve));
    handler = {
      work: async () => {
        await gate;
        return {};
      },
    };
    const run = await start(principal);
    const wait = (waitSeconds: number) =>
      fixture.run(
        principal,
        "query ($runId: ID!, $waitSeconds: Int) { run(runId: $runId, waitSeconds: $waitSeconds) { status } }",
        {
          runId: run.runId,
          waitSeconds,
        },
      );
    const startedAt = performance.now();
    expect((await wait(1)).data?.["run"].status).not.toBe("Completed");
    expect(performance.now() - startedAt).toBeGreaterThan(950);
    let answeredCount = 0;
    const answers = Array.from({ length: 40 }, () => wait(20).finally(() => (answeredCount += 1)));
    // no more than 32 may wait
    await eventually(() => answeredCount === 8 || undefined);
    finish();
    const statuses = (await Promise.all(answers)).map(({ data }) => data?.["run"].status as string);
    expect(statuses.filter((status) => status === "Completed")).toHaveLength(32);
  });
});

async function failFirst(number: number): Promise<Record<string, unknown>> {
  if (number === 1) throw new DomainError("UPSTREAM_TIMEOUT", { detail: "The vendor did not answer." });
  return {};
}
