import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { type Started, startWith } from "../facade.fixture.js";
import type { ReportContents } from "./report-contents.js";

const bytes = Buffer.from("time,operation\r\n2026-01-01,signIn\r\n");
const sha256 = createHash("sha256").update(bytes).digest("hex");
const tag = `"${sha256}"`;
const at = (id = "run_1") => `GET /v1/reports/runs/${id}/content`;
let facade: Started;
let contentRequests: [Principal, string][] = [];
/** The readers that wait until the test lets them go on. */
let heldReaders: (() => void)[] = [];
let holding = false;
/** Whether the content itself is opened late. */
let holdingOpen = false;

/** A port with one content. */
const contents: ReportContents = {
  async open(caller, reportRunId) {
    contentRequests.push([caller, reportRunId]);
    if (holdingOpen) await new Promise<void>((go) => heldReaders.push(go));
    if (reportRunId === "run_gone") throw new DomainError("REPORT_EXPIRED", { detail: "The content was deleted." });
    const empty = reportRunId === "run_empty";
    return {
      fileName: "audit-log_2026-01-01_2026-01-31.csv",
      contentType: "text/csv; charset=utf-8",
      sizeBytes: empty ? 0 : bytes.length,
      sha256,
      async read(start, end) {
        if (holding) await new Promise<void>((go) => heldReaders.push(go));
        return Readable.from([bytes.subarray(start, end + 1)]);
      },
    };
  },
};

beforeAll(async () => {
  facade = await startWith({}, { ports: { reportContents: contents } });
});
afterAll(() => facade.close());
beforeEach(() => {
  [contentRequests, heldReaders, holding, holdingOpen] = [[], [], false, false];
});

describe("GET /v1/reports/runs/{reportRunId}/content", () => {
  it("sends the whole content as a file, with its digest", async () => {
    const { status, text, headers } = await facade.call(at());
    expect([status, text]).toEqual([200, bytes.toString()]);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "content-length": String(bytes.length),
      "content-disposition": 'attachment; filename="audit-log_2026-01-01_2026-01-31.csv"',
      "accept-ranges": "bytes",
      "cache-control": "private, no-cache",
      "x-content-type-options": "nosniff",
      "api-version": "1.0",
      etag: tag,
      "repr-digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`,
    });
    expect(contentRequests).toEqual([[expect.objectContaining({ tenantSlug: "acme" }), "run_1"]]);
  });

  it("sends one range", async () => {
    const { status, text, headers } = await facade.call(at(), { headers: { range: "bytes=5-13" } });
    expect([status, text, headers.get("content-range")]).toEqual([206, "operation", `bytes 5-13/${bytes.length}`]);
    expect(headers.get("content-length")).toBe("9");
    expect((await facade.call(at(), { headers: { range: "bytes=-8" } })).text).toBe("signIn\r\n");
  });

  it("sends a range only of the content that If-Range names", async () => {
    const range = "bytes=0-3";
    expect((await facade.call(at(), { headers: { range, "if-range": tag } })).status).toBe(206);
    const other = await facade.call(at(), { headers: { range, "if-range": '"another"' } });
    expect([other.status, other.text]).toEqual([200, bytes.toString()]);
  });

  it("refuses a range that the content does not have", async () => {
    const { status, json, headers } = await facade.call(at(), { headers: { range: `bytes=${bytes.length}-` } });
    expect([status, json["code"]]).toEqual([416, "RANGE_NOT_SATISFIABLE"]);
    expect(headers.get("content-range")).toBe(`bytes */${bytes.length}`);
    expect(headers.get("content-type")).toContain("problem+json");
  });

  it("sends nothing to a caller that has the content", async () => {
    for (const knownTag of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
      const { status, text, headers } = await facade.call(at(), { headers: { "if-none-match": knownTag } });
      expect([knownTag, status, text, headers.get("etag")]).toEqual([knownTag, 304, "", tag]);
    }
    expect((await facade.call(at(), { headers: { "if-none-match": '"x"' } })).status).toBe(200);
  });

  it("answers HEAD with the headers of the whole content", async () => {
    const { status, text, headers } = await facade.call(at().replace("GET", "HEAD"), {
      headers: { range: "bytes=0-1" },
    });
    expect([status, text, headers.get("content-length")]).toEqual([200, "", String(bytes.length)]);
  });

  it("sends an empty content", async () => {
    const { status, text, headers } = await facade.call(at("run_empty"));
    expect([status, text, headers.get("content-length")]).toEqual([200, "", "0"]);
  });

  it("answers refusals of the port as problems", async () => {
    const { status, json } = await facade.call(at("run_gone"));
    expect([status, json["code"]]).toEqual([410, "REPORT_EXPIRED"]);
  });

  it("requires a token with a scope", async () => {
    expect((await facade.call(at(), { token: undefined })).status).toBe(401);
    const { status, json } = await facade.call(at(), { token: "scopeless" });
    expect([status, json["requiredScopes"]]).toEqual([403, ["report.read", "report.generate"]]);
    expect((await facade.call(at().replace("GET", "POST"), { body: {} })).status).toBe(405);
    expect(contentRequests).toEqual([]);
  });

  it("keeps no place for a caller that has gone before the content was open", async () => {
    holdingOpen = true;
    const controller = new AbortController();
    const url = `${facade.publicUrl}/v1/reports/runs/run_1/content`;
    const headers = { authorization: "Bearer good" };
    const downloads = Array.from({ length: 9 }, () =>
      fetch(url, { headers, signal: controller.signal }).catch(() => undefined),
    );
    while (heldReaders.length < 9) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    await Promise.all(downloads);
    // until the server has noticed that the connections are closed
    await new Promise((resolve) => setTimeout(resolve, 100));
    holdingOpen = false;
    for (const go of heldReaders) go();
    let status = 0;
    for (let turn = 0; turn < 100 && status !== 200; turn += 1) ({ status } = await facade.call(at()));
    expect(status).toBe(200);
  });

  it("limits the downloads of a tenant at once", async () => {
    holding = true;
    const first = Array.from({ length: 8 }, () => facade.call(at()));
    while (heldReaders.length < 8) await new Promise((resolve) => setTimeout(resolve, 5));
    const { status, json, headers } = await facade.call(at());
    expect([status, json["code"], headers.get("retry-after")]).toEqual([429, "RATE_LIMITED", "5"]);
    expect(headers.get("content-disposition")).toBeNull();
    holding = false;
    for (const go of heldReaders) go();
    expect((await Promise.all(first)).map((answer) => answer.status)).toEqual(Array(8).fill(200));
    expect((await facade.call(at())).status).toBe(200);
  });
});
