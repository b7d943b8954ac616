import type { Cell, Report } from "../report/report.js";
import { TooManyRowsError } from "../report/too-many-rows.js";
import { batches, bytesOf, sampleReport } from "../report.fixture.js";
import { writePdf } from "./pdf.js";
import { hasPdfToText, pagesOf } from "./pdf-text.fixture.js";
import { maxPdfRows } from "./table.js";

const row = (name: string, count = 1): Cell[] => [
  name,
  count,
  0.5,
  "2026-11-02",
  new Date("2026-11-02T08:00:00Z"),
  true,
];

const pdfOf = (rows: readonly (readonly Cell[])[], report: Report = sampleReport) =>
  bytesOf(writePdf, report, batches(rows));

const suite = hasPdfToText ? describe : describe.skip;

suite("a pdf that pdftotext reads", () => {
  const pages = async (...facts: Parameters<typeof pdfOf>) => pagesOf(await pdfOf(...facts));

  it("has the title, the parameters, the number of rows, the notes and the rows", async () => {
    const [page = "", ...others] = await pages([row("Größe Łódź"), row("Ελληνικά", 1_234_567), row("Кириллица")]);
    expect(others).toEqual([]);
    expect(page).toMatch(/^\s*Sample\n/);
    expect(page).toMatch(/from 2026-11-01\s+to 2026-11-30\s+rows 3/);
    expect(page).toContain("The period is not over.");
    expect(page).toMatch(/Name\s+Count\s+Share\s+Day\s+Occurred at\s+Active/);
    expect(page).toMatch(/Größe Łódź\s+1\s+0\.5\s+2026-11-02\s+2026-11-02 08:00:00\s+yes/);
    expect(page).toMatch(/Ελληνικά\s+1,234,567/);
    expect(page).toContain("Кириллица");
    expect(page).toMatch(/Sample\. Times are in UTC\.\s+Page 1 of 1/);
  });

  it("repeats the header and counts the pages", async () => {
    const texts = await pages(Array.from({ length: 300 }, (_, index) => row(`Person ${index}`)));
    expect(texts.length).toBeGreaterThan(4);
    for (const [index, page] of texts.entries()) {
      expect(page).toMatch(/Name\s+Count/);
      expect(page).toContain(`Page ${index + 1} of ${texts.length}`);
    }
    expect(texts.join("").match(/Person \d+/g)).toEqual(Array.from({ length: 300 }, (_, index) => `Person ${index}`));
  });

  it("says that there are no rows", async () => {
    const [page] = await pages([]);
    expect(page).toContain("The period has no rows.");
  });

  it("shows what the font cannot show, and what would be hidden, by code points", async () => {
    const [page] = await pages([row("中 \u202eevil \u200b 🚀")]);
    expect(page).toMatch(/�4E2D �202Eevil �200B �1F680/);
  });

  it("draws charts above the table", async () => {
    const labels = Array.from({ length: 30 }, (_, index) => `${index + 1} Nov`);
    const values = labels.map((_, index) => (index === 7 ? null : index * 40));
    const charts: Report["charts"] = [
      { kind: "bar", title: "Calls per day", labels, series: [{ name: "calls", values }] },
      { kind: "line", title: "Seats", labels, series: ["used", "free"].map((name) => ({ name, values })) },
    ];
    const [page = ""] = await pages([row("Ada")], { ...sampleReport, charts });
    expect(page).toContain("Calls per day");
    expect(page).toMatch(/Seats\s+used\s+free/);
    expect(page).toContain("1,000");
    expect(page.indexOf("Seats")).toBeLessThan(page.indexOf("Ada"));
  });

  it("says which part of a chart is left out", async () => {
    const labels = Array.from({ length: 401 }, (_, index) => `${index}`);
    const series = Array.from({ length: 7 }, (_, index) => ({ name: `series ${index}`, values: labels.map(Number) }));
    const charts: Report["charts"] = [{ kind: "line", title: "Calls", labels, series }];
    const [page] = await pages([], { ...sampleReport, charts });
    expect(page).toContain("the first 400 of 401 labels: the first 6 of 7 series: Calls");
    expect(page).toContain("series 5");
    expect(page).not.toContain("series 6");
  });

  it("is bounded for hostile texts and many columns", async () => {
    const columns = Array.from({ length: 20 }, (_, index) => ({
      key: `c${index}`,
      title: "W".repeat(5_000),
      kind: "text" as const,
    }));
    const hostile = [
      "x".repeat(10_000_000),
      "\u202e".repeat(1_000_000),
      "a\u0301\u0302\u0303".repeat(100_000),
      "\n".repeat(1_000_000),
    ];
    const texts = await pages(
      Array.from({ length: 20 }, (_, line) =>
        columns.map((_, index) => hostile[(line + index) % hostile.length] ?? ""),
      ),
      { ...sampleReport, columns, title: "T".repeat(1_000_000), notes: ["n ".repeat(1_000_000)] },
    );
    expect(texts.length).toBeLessThan(10);
  });
});

describe("writePdf", () => {
  it("has the date of its parameters", async () => {
    const pdf = (await pdfOf([])).toString("latin1");
    expect(pdf.match(/D:\d+/g)).toEqual(["D:20261201000000"]);
  });

  it("has another file id for other parameters", async () => {
    const idOf = async (report: Report) => /\/ID \[<(\w+)>/.exec((await pdfOf([], report)).toString("latin1"))?.[1];
    const [digest, again, other] = [
      await idOf(sampleReport),
      await idOf(sampleReport),
      await idOf({ ...sampleReport, parameters: { from: "2026-11-02", to: "2026-11-30" } }),
    ];
    expect(digest).toMatch(/^\w{32}$/);
    expect(again).toBe(digest);
    expect(other).not.toBe(digest);
  });

  it("refuses more rows than it can hold, and names csv", async () => {
    const rows = Array.from({ length: maxPdfRows + 1 }, () => row("Ada"));
    const writing = pdfOf(rows);
    await expect(writing).rejects.toThrow(TooManyRowsError);
    await expect(writing).rejects.toThrow(/at most 10000 rows.*csv/);
  });

  it("lets other work of the process have its turn", async () => {
    const rows = Array.from({ length: 900 }, (_, index) => row(`Person ${index}`, index));
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await pdfOf(rows);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });
});
