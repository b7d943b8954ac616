import type { Cell, ReportRows } from "./report/report.js";
import { batches, bytesOf, sampleReport } from "./report.fixture.js";
import { reportFormats } from "./report-formats.js";

const row: Cell[] = ["Ada", 3, 0.5, "2026-11-02", new Date("2026-11-02T08:00:00Z"), true];

describe.each(Object.entries(reportFormats))("the format %s", (_, { write }) => {
  it("writes the same bytes for the same rows, in whatever batches they come", async () => {
    const rows = Array.from({ length: 600 }, (_, index) => [`${index} Ada`, index, ...row.slice(2)]);
    const [bytes, again, other] = await Promise.all(
      [500, 500, 7].map((size) => bytesOf(write, sampleReport, batches(rows, size))),
    );
    expect(bytes?.equals(again as Buffer)).toBe(true);
    expect(bytes?.equals(other as Buffer)).toBe(true);
  });

  it("fails with the error of its rows", async () => {
    const failure = new Error("the cursor is gone");
    async function* failing(): ReportRows {
      yield [row];
      throw failure;
    }
    await expect(bytesOf(write, sampleReport, failing())).rejects.toBe(failure);
  });
});

// a pdf states its page count on the first page, so it reads all rows before
const streamedFormats = Object.entries(reportFormats).filter(([name]) => name !== "pdf");

describe.each(streamedFormats)("the format %s", (_, { write }) => {
  it("reads rows only as fast as its consumer, and closes them when the consumer stops", async () => {
    let batchCount = 0;
    let isClosed = false;
    async function* endless(): ReportRows {
      try {
        for (;;) {
          batchCount += 1;
          yield Array.from({ length: 1_000 }, (_, index) => [`${batchCount} ${index}`, index, ...row.slice(2)]);
        }
      } finally {
        isClosed = true;
      }
    }
    let byteCount = 0;
    for await (const bytes of write(sampleReport, endless())) {
      byteCount += bytes.length;
      if (byteCount > 300_000) break;
    }
    expect(isClosed).toBe(true);
    expect(batchCount).toBeLessThan(60);
  });
});
