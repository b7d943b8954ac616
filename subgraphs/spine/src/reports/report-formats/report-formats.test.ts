import type { Cell, ReportRows } from "./report/report.js";
import { batches, bytesOf, sampleReport } from "./report.fixture.js";
import { reportFormats } from "./report-formats.js";

const row: Cell[] = ["Ada", 3, 0.5, "2026-11-02", new Date("2026-11-02T08:00:00Z"), true];

describe.each(Object.entries(reportFormats))("the format %s", (_, { write }) => {
  it("writes the same bytes for the same rows, in whatever batches they come", async () => {
    const rows = Array.from({ length: 600 }, (_, index) => [`${index} Ada`, index, ...row.slice(2)]);
    const [one, again, other] = await Promise.all(
      [500, 500, 7].map((size) => bytesOf(write, sampleReport, batches(rows, size))),
    );
    expect(one?.equals(again as Buffer)).toBe(true);
    expect(one?.equals(other as Buffer)).toBe(true);
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

// a pdf states its number of pages on the first one, so it reads all of its rows before
const streamed = Object.entries(reportFormats).filter(([name]) => name !== "pdf");

describe.each(streamed)("the format %s", (_, { write }) => {
  it("reads rows only as fast as its consumer, and closes them when the consumer stops", async () => {
    let read = 0;
    let closed = false;
    async function* endless(): ReportRows {
      try {
        for (;;) {
          read += 1;
          yield Array.from({ length: 1_000 }, (_, index) => [`${read} ${index}`, index, ...row.slice(2)]);
        }
      } finally {
        closed = true;
      }
    }
    let taken = 0;
    for await (const bytes of write(sampleReport, endless())) {
      taken += bytes.length;
      if (taken > 300_000) break;
    }
    expect(closed).toBe(true);
    expect(read).toBeLessThan(60);
  });
});
