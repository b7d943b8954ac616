import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { platform } from "../kit/platform.js";
import { refusal, refusedFields } from "../kit/refusal.js";
import {
  aQueuedReportRun,
  aReportDefinitionId,
  aReportRun,
  endedReportRun,
  lastYear,
  type TestReportRun,
} from "../kit/reports.js";
import { request } from "../kit/request.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

let tenant: TestTenant;
let token: string;
/** A tenant with so many users that their report takes seconds. */
let crowd: TestTenant;

beforeAll(async () => {
  [tenant, crowd] = [await aTenant(), await aTenant()];
  token = await tenant.tokenWith();
  await rows(
    `insert into spine.users (tenant_id, user_id, email, email_key, display_name, status, password_hash, created_at, updated_at)
     select $1, gen_random_uuid(), number || '@example.com', number || '@example.com', 'User ' || number, 'Active', '',
       now() - interval '2 years', now() from generate_series(1, 8000) as number`,
    [decodeId("ten", crowd.tenantId)],
  );
});

/** A run that draws its pages for seconds after its rows were read. */
async function aLongRun(as: string): Promise<TestReportRun> {
  const path = `POST /v1/reports/${await aReportDefinitionId(as, "user-activity")}/generate`;
  return (await request<TestReportRun>(path, { token: as, body: { format: "pdf", parameters: lastYear } })).body;
}

describe("GET /v1/reports", () => {
  it("lists the reports of a new tenant", async () => {
    const { status, body } = await request<{ items: { code: string }[] }>("GET /v1/reports", { token });
    expect(status).toBe(200);
    expect(body.items.map(({ code }) => code)).toEqual(["usage-summary", "audit-log", "user-activity"]);
  });
});

describe("POST /v1/reports/{id}/generate", () => {
  it("answers 202 with the members of the specification, and the run id that its events carry", async () => {
    const id = await aReportDefinitionId(token, "audit-log");
    const feed = await aFeed<{ events: { type: string; data: { reportRunId: string } } }>({
      token,
      query: "subscription { events { type data } }",
    });
    const body = { format: "csv", parameters: lastYear };
    const answer = await request<TestReportRun & { requestedAt: string }>(`POST /v1/reports/${id}/generate`, {
      token,
      body,
    });
    expect([answer.status, answer.body.status]).toEqual([202, "Queued"]);
    expect(answer.body.reportDefinitionId).toBe(id);
    expect(answer.body.reportRunId).toMatch(/^run_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(new Date(answer.body.requestedAt).toISOString()).toBe(answer.body.requestedAt);
    expect(answer.headers.get("location")).toBe(`/v1/reports/runs/${answer.body.reportRunId}`);
    const types = () =>
      feed.events
        .filter(({ events }) => events.data.reportRunId === answer.body.reportRunId)
        .map(({ events }) => events.type);
    await eventually("the events of the run arrive", () => types().length === 3);
    expect(types()).toEqual(["ReportRunQueued", "ReportRunStarted", "ReportGenerated"]);
    await feed.stop();
  });

  it("refuses a format, and parameters that break the schema of the report", async () => {
    const path = `POST /v1/reports/${await aReportDefinitionId(token)}/generate`;
    const format = await request(path, { token, body: { format: "docx", parameters: lastYear } });
    expect([refusal(format), ...refusedFields(format)]).toEqual(["422 PARAMETERS_INVALID", "/format UNKNOWN_VALUE"]);
    const days = await request(path, {
      token,
      body: { format: "csv", parameters: { from: "2026-02-29", to: "soon" } },
    });
    expect([refusal(days), ...refusedFields(days)]).toEqual([
      ...["422 PARAMETERS_INVALID", "/parameters/from FORMAT", "/parameters/to FORMAT"],
    ]);
    const shape = await request(path, { token, body: { parameters: "2026" } });
    expect([refusal(shape), ...refusedFields(shape)]).toEqual([
      ...["400 VALIDATION_FAILED", "/format REQUIRED", "/parameters TYPE"],
    ]);
  });
});

interface RunPage {
  readonly items: readonly TestReportRun[];
  readonly nextCursor: string | null;
}

describe("GET /v1/reports/runs", () => {
  it("lists the runs in pages, by their state, format and report", async () => {
    const ownToken = await (await aTenant()).tokenWith();
    const runs = [
      await aReportRun(ownToken, { format: "csv" }),
      await aReportRun(ownToken, { format: "json" }),
      await aReportRun(ownToken, { code: "audit-log", format: "json" }),
    ];
    await request(`POST /v1/reports/runs/${runs[0]?.reportRunId}/expire`, { token: ownToken });
    const [summary, json, log] = runs.map(({ reportRunId }) => reportRunId);
    const list = async (query: string) => {
      const { status, body, headers } = await request<RunPage>(`GET /v1/reports/runs?${query}`, { token: ownToken });
      expect([query, status]).toEqual([query, 200]);
      return { ...body, ids: body.items.map(({ reportRunId }) => reportRunId), link: headers.get("link") };
    };
    expect((await list("limit=10")).ids).toEqual([log, json, summary]);
    expect((await list("sort=requestedAt")).ids).toEqual([summary, json, log]);
    const first = await list("limit=2");
    expect([first.ids, first.link]).toEqual([[log, json], expect.stringContaining('rel="next"')]);
    const second = await list(`limit=2&cursor=${first.nextCursor}`);
    expect([second.ids, second.nextCursor]).toEqual([[summary], null]);
    expect((await list("status=Expired")).ids).toEqual([summary]);
    expect((await list("status=Completed&format=json")).ids).toEqual([log, json]);
    expect((await list(`reportDefinitionId=${await aReportDefinitionId(ownToken, "audit-log")}`)).ids).toEqual([log]);
    expect((await list("reportDefinitionId=rpd_1")).ids).toEqual([]);
    const unknown = await request("GET /v1/reports/runs?status=Done", { token: ownToken });
    expect([refusal(unknown), ...refusedFields(unknown)]).toEqual(["422 PARAMETERS_INVALID", "/status UNKNOWN_VALUE"]);
    const other = await request("GET /v1/reports/runs?status=Completed", {
      token: await (await aTenant()).tokenWith(),
    });
    expect(other.body).toMatchObject({ items: [] });
  });
});

describe("POST /v1/reports/runs/{reportRunId}/cancel", () => {
  const cancelRun = async (reportRunId: string, as = token) => {
    const { status, body } = await request<TestReportRun>(`POST /v1/reports/runs/${reportRunId}/cancel`, { token: as });
    return [status, body.status, body.error?.code];
  };

  it("ends a run before its turn", async () => {
    const reportRunId = await aQueuedReportRun(tenant.tenantId);
    expect(await cancelRun(reportRunId)).toEqual([200, "Cancelled", "RUN_CANCELLED"]);
    expect(await cancelRun(reportRunId)).toEqual([200, "Cancelled", "RUN_CANCELLED"]);
  });

  it("ends a run whose content is written, and leaves no file", async () => {
    const as = await crowd.tokenWith();
    const { reportRunId } = await aLongRun(as);
    const run = async () => (await request<TestReportRun>(`GET /v1/reports/runs/${reportRunId}`, { token: as })).body;
    await eventually("the rows are read", async () => (await run()).rowsDone > 0);
    expect(await cancelRun(reportRunId, as)).toEqual([200, "Cancelled", "RUN_CANCELLED"]);
    const folder = join(platform().dataDir, "files/reports", decodeId("ten", crowd.tenantId) ?? "");
    const files = async () =>
      (await readdir(folder)).filter((file) => file.startsWith(decodeId("run", reportRunId) ?? ""));
    await eventually("the worker has removed its file", async () => (await files()).length === 0);
    expect(await run()).toMatchObject({ status: "Cancelled", sizeBytes: null, sha256: null });
    const refusedAnswer = await request(`GET /v1/reports/runs/${reportRunId}/content`, { token: as });
    expect(refusal(refusedAnswer)).toBe("409 INVALID_STATE");
  });
});

describe("Subscription.reportRunChanged", () => {
  it("tells the state and the progress until the end of the run", async () => {
    const as = await crowd.tokenWith();
    const { reportRunId } = await aLongRun(as);
    interface Change {
      reportRunChanged: { sequence: number; status: string; rowsDone: number; rowsTotal: number | null };
    }
    const feed = await aFeed<Change>({
      token: as,
      query: "subscription ($id: ID!) { reportRunChanged(reportRunId: $id) { sequence status rowsDone rowsTotal } }",
      variables: { id: reportRunId },
    });
    await endedReportRun(as, reportRunId);
    await eventually("the subscription has ended", () => feed.ended());
    const changes = feed.events.map(({ reportRunChanged }) => reportRunChanged);
    const sequences = changes.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort((value, other) => value - other));
    const all = { rowsDone: 8000, rowsTotal: 8000 };
    // the pages are drawn after the last row
    expect(changes).toContainEqual(expect.objectContaining({ status: "Running", ...all }));
    expect(changes.at(-1)).toMatchObject({ status: "Completed", ...all });
    await feed.stop();
  });
});
