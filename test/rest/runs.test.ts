import { eventually } from "../kit/eventually.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aFailedRun, aWaitingRun } from "../kit/runs.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

let tenant: TestTenant;
let token: string;

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
});

interface TestRun {
  readonly runId: string;
  readonly status: string;
  readonly error: { code: string } | null;
}

const runOf = (runId: string, headers: Record<string, string> = {}) =>
  request<TestRun>(`GET /integrations/runs/${runId}`, { token, headers });

describe("GET /integrations/runs/{runId}", () => {
  it("shows the members of the specification, and Retry-After until the run has ended", async () => {
    const [waiting, failedRun] = [await aWaitingRun(tenant.tenantId), await aFailedRun(tenant.tenantId)];
    const answer = await runOf(waiting);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([200, "1"]);
    expect(answer.body).toEqual({
      runId: waiting,
      connectionId: expect.stringMatching(/^con_/),
      operation: "CheckHealth",
      status: "Queued",
      attempts: 0,
      startedAt: null,
      completedAt: null,
      traceId: "a".repeat(32),
      createdAt: expect.stringMatching(/Z$/),
      nextAttemptAt: null,
      error: null,
      result: null,
      progress: null,
      correlationId: "walked",
    });
    await eventually("the run has failed", async () => (await runOf(failedRun)).body.status === "Failed");
    const endedRun = await runOf(failedRun);
    expect(endedRun.headers.get("retry-after")).toBeNull();
    expect(endedRun.body).toMatchObject({ error: { code: "NOT_FOUND", detail: expect.stringMatching(/command/) } });
  });

  it("waits for the end as the header Prefer asks, and says that it did", async () => {
    const runId = await aWaitingRun(tenant.tenantId);
    const startedAt = performance.now();
    const waitAnswer = await runOf(runId, { prefer: "respond-async, wait=1" });
    expect(performance.now() - startedAt).toBeGreaterThan(950);
    expect([waitAnswer.status, waitAnswer.headers.get("preference-applied")]).toEqual([200, "wait=1"]);
    expect(waitAnswer.headers.get("vary")).toContain("Prefer");
    const open = runOf(runId, { prefer: "wait=20" });
    await request(`POST /integrations/runs/${runId}/cancel`, { token });
    expect((await open).body.status).toBe("Cancelled");
    const unread = await runOf(runId, { prefer: "wait=soon" });
    expect([unread.status, unread.headers.get("preference-applied")]).toEqual([200, null]);
  });
});

describe("POST /integrations/runs/{runId}/cancel", () => {
  it("accepts no body but an object", async () => {
    const runId = await aWaitingRun(tenant.tenantId);
    const cancel = (body?: unknown) => request(`POST /integrations/runs/${runId}/cancel`, { token, body });
    for (const body of [[], "x", 5, true]) {
      const refusedAnswer = await cancel(body);
      expect(refusedAnswer).toMatchObject({
        status: 400,
        body: { code: "VALIDATION_FAILED", errors: [{ code: "TYPE" }] },
      });
    }
    expect(await cancel({ unknown: 1 })).toMatchObject({ status: 200, body: { status: "Cancelled" } });
  });

  it("ends a waiting run, and refuses one that has ended", async () => {
    const [waiting, failedRun] = [await aWaitingRun(tenant.tenantId), await aFailedRun(tenant.tenantId)];
    const cancellation = await request<TestRun>(`POST /integrations/runs/${waiting}/cancel`, { token });
    expect(cancellation.body).toMatchObject({ status: "Cancelled", error: { code: "RUN_CANCELLED" } });
    await eventually("the run has failed", async () => (await runOf(failedRun)).body.status === "Failed");
    expect(refusal(await request(`POST /integrations/runs/${failedRun}/cancel`, { token }))).toBe("409 INVALID_STATE");
  });
});

describe("GET /integrations/runs", () => {
  it("refuses values of closed sets that it does not know, and lists the runs of a delivery", async () => {
    const unknown = await request("GET /integrations/runs?status=zzz", { token });
    expect(unknown).toMatchObject({ status: 422, body: { errors: [{ pointer: "/status", code: "UNKNOWN_VALUE" }] } });
    const path = "GET /integrations/runs?deliveryId=whd_00000000000000000000000000";
    expect(await request(path, { token })).toMatchObject({ status: 200, body: { items: [] } });
  });
});
