import { createHash } from "node:crypto";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { parseCsv } from "@factory/spine/report-formats/parse-csv.fixture";
import { hasPdfToText, pagesOf } from "@factory/spine/report-formats/pdf/pdf-text.fixture";
import readWorkbook from "read-excel-file/node";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { platform } from "../kit/platform.js";
import { aReportRun, type TestReportRun, untilToday } from "../kit/reports.js";
import { request } from "../kit/request.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";
import { anInvitation, goodPassword, invitationToken } from "../kit/users.js";

let tenant: TestTenant;
let token: string;

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
});

const content = (
  { reportRunId }: Pick<TestReportRun, "reportRunId">,
  headers: Record<string, string> = {},
  { as = token, method = "GET" } = {},
) =>
  fetch(`${platform().publicUrl}/v1/reports/runs/${reportRunId}/content`, {
    method,
    headers: { authorization: `Bearer ${as}`, ...headers },
  });

async function download(code: string, format: string): Promise<Buffer> {
  const run = await aReportRun(token, { code, format, parameters: untilToday() });
  expect([code, format, run]).toEqual([
    code,
    format,
    expect.objectContaining({ status: "Completed", periodOver: false }),
  ]);
  const bytes = Buffer.from(await (await content(run)).arrayBuffer());
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(run.sha256);
  return bytes;
}

async function aUserNamed(displayName: string): Promise<void> {
  const { email } = await anInvitation(token);
  const body = { token: await invitationToken(email), password: goodPassword, displayName };
  const { status, text } = await request("POST /v1/users/invitations/accept", { body });
  if (status !== 201) throw new Error(text);
}

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

  it("continues a download only of the same content, and answers HEAD", async () => {
    const run = await aReportRun(token, { format: "csv" });
    const whole = await (await content(run)).text();
    const rest = await content(run, { range: "bytes=5-", "if-range": `"${run.sha256}"` });
    expect([rest.status, await rest.text()]).toEqual([206, whole.slice(5)]);
    expect(rest.headers.get("content-range")).toBe(`bytes 5-${whole.length - 1}/${whole.length}`);
    const other = await content(run, { range: "bytes=5-", "if-range": `"${"0".repeat(64)}"` });
    expect([other.status, await other.text()]).toEqual([200, whole]);
    const head = await content(run, {}, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, `${whole.length}`, ""]);
  });

  it("is refused to another tenant, without the scopes of the rows, and after its expiry", async () => {
    const run = await aReportRun(token, { code: "audit-log" });
    const as = async (...scopes: Parameters<TestTenant["tokenWith"]>) =>
      (await content(run, {}, { as: await tenant.tokenWith(...scopes) })).status;
    expect((await content(run, {}, { as: await (await aTenant()).tokenWith() })).status).toBe(404);
    expect(await as("report.read")).toBe(403);
    expect(await as("report.read", "audit.read")).toBe(200);
    await rows("update spine.report_runs set expires_at = now() where run_id = $1", [decodeId("run", run.reportRunId)]);
    expect((await content(run)).status).toBe(410);
    const expiredRun = await request<TestReportRun>(`GET /v1/reports/runs/${run.reportRunId}`, { token });
    expect(expiredRun.body.status).toBe("Expired");
  });
});

describe("a downloaded report of a period that is not over", () => {
  const names = ['=HYPERLINK("http://evil.example")', "Ωμέγα Жук Łódź 中文"];

  beforeAll(async () => {
    for (const name of names) await aUserNamed(name);
  });

  it("is a csv file whose texts no spreadsheet runs as formulas", async () => {
    const [keys = [], ...records] = parseCsv(String(await download("user-activity", "csv")));
    expect(records.map((record) => record[keys.indexOf("displayName")])).toEqual(
      expect.arrayContaining([`'${names[0]}`, names[1]]),
    );
  });

  it("is a json document with a note", async () => {
    const { notes, rows } = JSON.parse(String(await download("user-activity", "json")));
    expect(notes).toEqual([expect.stringContaining("was not over")]);
    const displayNames = rows.map(({ displayName }: { displayName: string }) => displayName);
    expect(displayNames).toEqual(expect.arrayContaining(names));
  });

  it("is a workbook that another library reads", async () => {
    const [sheet, about] = await readWorkbook(await download("user-activity", "xlsx"));
    const [titles = [], ...cells] = sheet?.data ?? [];
    const columnOf = (title: string) => cells.map((row) => row[titles.indexOf(title)]);
    expect(columnOf("Name")).toEqual(expect.arrayContaining(names));
    expect(columnOf("Created")).toEqual(cells.map(() => expect.any(Date)));
    expect(about?.data).toContainEqual(["Note", expect.stringContaining("was not over")]);
  });

  (hasPdfToText ? it : it.skip)(
    "is a pdf with Greek, Cyrillic, charts, and code points in place of others",
    async () => {
      const activity = (await pagesOf(await download("user-activity", "pdf"))).join("\n");
      expect(activity).toContain("was not over");
      expect(activity).toContain(names[0]);
      expect(activity).toContain("Ωμέγα Жук Łódź �4E2D�6587");
      await eventually("an operation is audited", async () => {
        const { body } = await request<{ items: unknown[] }>("GET /v1/audit-records?limit=1", { token });
        return body.items.length > 0;
      });
      const summary = (await pagesOf(await download("usage-summary", "pdf"))).join("\n");
      expect(summary).toMatch(/Operations by day[^]*Day\s+\d{4}-\d\d-\d\d\s+spine/);
    },
  );
});
