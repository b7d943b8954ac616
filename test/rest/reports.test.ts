import { createHash } from "node:crypto";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { platform } from "../kit/platform.js";
import { refusal, refusedFields } from "../kit/refusal.js";
import { aReportDefinitionId, aReportRun, endedReportRun, lastYear, type TestReportRun } from "../kit/reports.js";
import { request } from "../kit/request.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

let tenant: TestTenant;
let token: string;

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
});

const content = (
  { reportRunId }: Pick<TestReportRun, "reportRunId">,
  headers: Record<string, string> = {},
  as = token,
) =>
  fetch(`${platform().publicUrl}/v1/reports/runs/${reportRunId}/content`, {
    headers: { authorization: `Bearer ${as}`, ...headers },
  });

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

  it("gives the same content for the same report", async () => {
    for (const format of ["csv", "json"]) {
      const [one, other] = [await aReportRun(token, { format }), await aReportRun(token, { format })];
      expect(one.sha256).toBe(other.sha256);
    }
  });
});

describe("GET /v1/reports/runs/{reportRunId}/content", () => {
  it("sends the content as a file, whole or in ranges, with its digest", async () => {
    const run = await aReportRun(token, { code: "user-activity", format: "json" });
    const whole = await content(run);
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(whole.status).toBe(200);
    expect(whole.headers.get("content-disposition")).toMatch(/^attachment; filename="user-activity_.*\.json"$/);
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(run.sha256);
    const part = await content(run, { range: "bytes=1-8" });
    expect([part.status, await part.text()]).toEqual([206, bytes.subarray(1, 9).toString()]);
    expect((await content(run, { "if-none-match": `"${run.sha256}"` })).status).toBe(304);
    expect((await content(run, { range: `bytes=${bytes.length}-` })).status).toBe(416);
  });

  it("is refused to another tenant, without the scopes of the rows, before its end, and after its expiry", async () => {
    const run = await aReportRun(token, { code: "audit-log" });
    const other = await (await aTenant()).tokenWith();
    expect((await content(run, {}, other)).status).toBe(404);
    expect((await content(run, {}, await tenant.tokenWith("report.read"))).status).toBe(403);
    expect((await content(run, {}, await tenant.tokenWith("report.read", "audit.read"))).status).toBe(200);
    await rows("update spine.report_runs set expires_at = now() where run_id = $1", [decodeId("run", run.reportRunId)]);
    expect((await content(run)).status).toBe(410);
    const expired = await request<TestReportRun>(`GET /v1/reports/runs/${run.reportRunId}`, { token });
    expect(expired.body.status).toBe("Expired");
  });
});

describe("Subscription.reportRunChanged", () => {
  it("tells the state and the progress until the end of the run", async () => {
    const path = `POST /v1/reports/${await aReportDefinitionId(token, "audit-log")}/generate`;
    const { body } = await request<TestReportRun>(path, { token, body: { format: "csv", parameters: lastYear } });
    interface Change {
      reportRunChanged: { sequence: number; status: string; rowsDone: number; rowsTotal: number | null };
    }
    const feed = await aFeed<Change>({
      token,
      query: "subscription ($id: ID!) { reportRunChanged(reportRunId: $id) { sequence status rowsDone rowsTotal } }",
      variables: { id: body.reportRunId },
    });
    await endedReportRun(token, body.reportRunId);
    await eventually("the last change arrives", () => feed.events.at(-1)?.reportRunChanged.status === "Completed");
    const changes = feed.events.map(({ reportRunChanged }) => reportRunChanged);
    const sequences = changes.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort((one, other) => one - other));
    expect(changes.at(-1)).toMatchObject({ rowsDone: 0, rowsTotal: 0 });
    await feed.stop();
  });
});
