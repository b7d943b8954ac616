import fc from "fast-check";
import { writeJson } from "./json.js";
import { anyRows, batches, bytesOf, sampleReport } from "./report.fixture.js";

describe("writeJson", () => {
  it("names the report, its parameters, its notes and its columns", async () => {
    const { rows, ...head } = JSON.parse(String(await bytesOf(writeJson, sampleReport, batches([]))));
    expect(rows).toEqual([]);
    expect(head).toEqual({
      report: "sample",
      title: "Sample",
      parameters: { from: "2026-11-01", to: "2026-11-30" },
      notes: ["The period is not over."],
      columns: sampleReport.columns,
    });
  });

  it("keeps every cell", async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, fc.integer({ min: 1, max: 5 }), async (rows, size) => {
        const { rows: writtenRows } = JSON.parse(String(await bytesOf(writeJson, sampleReport, batches(rows, size))));
        const keys = sampleReport.columns.map(({ key }) => key);
        expect(writtenRows).toEqual(
          rows.map((row) =>
            Object.fromEntries(
              row.map((cell, index) => [keys[index], cell instanceof Date ? cell.toISOString() : cell]),
            ),
          ),
        );
      }),
    );
  });
});
