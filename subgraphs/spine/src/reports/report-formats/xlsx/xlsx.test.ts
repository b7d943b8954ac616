import fc from "fast-check";
import readWorkbook from "read-excel-file/node";
import type { Cell, Report, ReportRows } from "../report/report.js";
import { TooManyRowsError } from "../report/too-many-rows.js";
import { anyRows, batches, bytesOf, sampleReport } from "../report.fixture.js";
import { maxSheetRows } from "./sheet.js";
import { writeXlsx } from "./xlsx.js";

const empty: Cell[] = [null, null, null, null, null];

async function sheetsOf(rows: readonly (readonly Cell[])[], report: Report = sampleReport) {
  return readWorkbook(await bytesOf(writeXlsx, report, batches(rows)), { trim: false });
}

async function rowsOf(rows: readonly (readonly Cell[])[]) {
  const [sheet] = await sheetsOf(rows);
  return sheet?.data.slice(1) ?? [];
}

/** A day is read as its first instant. */
const asRead = (cell: Cell, kind: string | undefined) =>
  kind === "date" && typeof cell === "string" ? new Date(`${cell}T00:00:00Z`) : cell;

describe("writeXlsx", () => {
  it("has the rows below their titles, and a sheet about the report", async () => {
    const row = ["Ada", 3, 0.5, "2026-11-02", new Date("2026-11-02T08:00:00Z"), true];
    expect(await sheetsOf([row])).toEqual([
      {
        sheet: "Sample",
        data: [
          ["Name", "Count", "Share", "Day", "Occurred at", "Active"],
          ["Ada", 3, 0.5, new Date("2026-11-02T00:00:00Z"), new Date("2026-11-02T08:00:00Z"), true],
        ],
      },
      {
        sheet: "About",
        data: [
          ["Report", "Sample"],
          ["from", "2026-11-01"],
          ["to", "2026-11-30"],
          ["Note", "The period is not over."],
        ],
      },
    ]);
  });

  it.each(["=1+1", "  two spaces ", "line\r\nbreak", "_x0041_", "<b>&amp;</b>", "\u0007\u001b\uffff", "😀", "'quoted"])(
    "keeps the text %j as text",
    async (text) => {
      expect((await rowsOf([[text, ...empty]]))[0]?.[0]).toBe(text);
    },
  );

  it("cuts a text that is longer than a cell can be", async () => {
    const [[text] = []] = await rowsOf([["😀".repeat(5_000_000), ...empty]]);
    expect(text).toBe(`${"😀".repeat(16_383)}…`);
  });

  it("writes a number that a spreadsheet does not know as text", async () => {
    expect((await rowsOf([["a", Number.NaN, Number.NEGATIVE_INFINITY, null, null, null]]))[0]).toEqual([
      "a",
      "NaN",
      "-Infinity",
      null,
      null,
      null,
    ]);
  });

  it("writes instants that a spreadsheet has no number for as text", async () => {
    const rows = await rowsOf([
      ["before", 1, null, "1899-12-31", new Date("1899-12-31T00:00:00Z"), null],
      ["after", 1, null, "9999-12-31", new Date("+010000-01-01T00:00:00Z"), null],
    ]);
    expect(rows[0]?.slice(3, 5)).toEqual(["1899-12-31", "1899-12-31T00:00:00.000Z"]);
    expect(rows[1]?.[4]).toBe("+010000-01-01T00:00:00.000Z");
  });

  it.each([
    ["", "Report"],
    ["about", "Report"],
    ["Usage: [a/b] 'c' <d> & everything else of the year", "Usage   a b   c  <d> & everythi"],
  ])("names the sheet of the title %j %j", async (title, name) => {
    const [sheet] = await sheetsOf([], { ...sampleReport, title });
    expect(sheet?.sheet).toBe(name);
  });

  it("refuses more rows than a sheet has, and names csv", async () => {
    async function* many(): ReportRows {
      yield new Array<Cell[]>(maxSheetRows + 1);
    }
    const writing = bytesOf(writeXlsx, sampleReport, many());
    await expect(writing).rejects.toThrow(TooManyRowsError);
    await expect(writing).rejects.toThrow(/at most 1048575 rows.*csv/);
  });

  it("keeps every cell", async () => {
    const kinds = sampleReport.columns.map(({ kind }) => kind);
    await fc.assert(
      fc.asyncProperty(anyRows, async (rows) => {
        // the reader drops empty rows at the end, and cannot tell an empty text from an empty cell
        const keptRows = [...rows, ["end", 1, 1, "2026-11-02", new Date("2026-11-02T08:00:00Z"), true]];
        expect(await rowsOf(keptRows)).toEqual(
          keptRows.map((row) => row.map((cell, index) => (cell === "" ? null : asRead(cell, kinds[index])))),
        );
      }),
    );
  });
});
