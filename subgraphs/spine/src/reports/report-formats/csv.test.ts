import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { writeCsv } from "./csv.js";
import { parseCsv } from "./parse-csv.fixture.js";
import type { Cell } from "./report/report.js";
import { anyRows, batches, bytesOf, sampleReport } from "./report.fixture.js";

const csvOf = async (rows: readonly (readonly Cell[])[], size?: number) =>
  String(await bytesOf(writeCsv, sampleReport, batches(rows, size)));

const header = "name,count,share,day,occurredAt,active\r\n";

/** The reverse guard: a text that begins with apostrophes before a formula character loses one. */
const withoutGuard = (field: string) => field.replace(/^'('*[=+\-@\t\r\n＝＋－＠])/, "$1");

const fieldOf = (cell: Cell): string => (cell instanceof Date ? cell.toISOString() : cell === null ? "" : String(cell));

describe("writeCsv", () => {
  it("writes a header of keys, and rows that end with CRLF", async () => {
    const rows = [
      ["Ada", 3, 0.5, "2026-11-02", new Date("2026-11-02T08:00:00Z"), true],
      [null, null, null, null, null, null],
    ];
    expect(await csvOf(rows)).toBe(`${header}Ada,3,0.5,2026-11-02,2026-11-02T08:00:00.000Z,true\r\n,,,,,\r\n`);
  });

  it("writes the header of a report without rows", async () => {
    expect(await csvOf([])).toBe(header);
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "'=1"])(
    "guards the text %j",
    async (text) => {
      const [, record] = parseCsv(await csvOf([[text, null, null, null, null, null]]));
      expect(record?.[0]).toBe(`'${text}`);
    },
  );

  it("writes negative numbers as numbers", async () => {
    expect(await csvOf([["a", -5, -0.25, null, null, null]])).toBe(`${header}a,-5,-0.25,,,\r\n`);
  });

  it("quotes like csv-stringify", async () => {
    const options = { record_delimiter: "\r\n", quote_record_delimiter: true, eof: true };
    await fc.assert(
      fc.asyncProperty(anyRows, async (rows) => {
        const guardedRows = rows.map((row) =>
          row.map((cell) => (typeof cell === "string" && /^'*[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell)),
        );
        const fields = guardedRows.map((row) => row.map(fieldOf));
        expect(await csvOf(rows)).toBe(header + stringify(fields, options));
      }),
    );
  });

  it("keeps every cell", async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, fc.integer({ min: 1, max: 5 }), async (rows, size) => {
        const [, ...records] = parseCsv(await csvOf(rows, size));
        const kinds = sampleReport.columns.map(({ kind }) => kind);
        expect(
          records.map((record) =>
            record.map((field, index) => (kinds[index] === "text" ? withoutGuard(field) : field)),
          ),
        ).toEqual(rows.map((row) => row.map(fieldOf)));
      }),
    );
  });
});
