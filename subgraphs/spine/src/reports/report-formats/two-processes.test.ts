import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { ensureCompiled } from "@factory/runtime/threads/compiled-worker.fixture";
import type { Cell, Report } from "./report/report.js";
import { batches, bytesOf, sampleReport } from "./report.fixture.js";
import { reportFormats } from "./report-formats.js";

const run = promisify(execFile);
const workspace = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const compiledFile = pathToFileURL(join(workspace, "dist/reports/report-formats/report-formats.js")).href;

const report: Report = {
  ...sampleReport,
  charts: [{ kind: "line", title: "Calls", labels: ["1", "2"], series: [{ name: "a", values: [1, 5] }] }],
};
const day = Date.parse("2026-11-02T08:00:00Z");
const rows = Array.from({ length: 300 }, (_, index): Cell[] => [
  `Größe ${index} Ωμέγα 🚀`,
  index * 1_000,
  index / 7,
  "2026-11-02",
  new Date(day + index * 61_001),
  index % 2 === 0,
]);

const program = `
import { createHash } from "node:crypto";
import { reportFormats } from "${compiledFile}";
const [report, rows] = JSON.parse(process.argv[1]);
report.asOf = new Date(report.asOf);
for (const row of rows) row[4] = new Date(row[4]);
const hashes = {};
for (const [name, { write }] of Object.entries(reportFormats)) {
  const hash = createHash("sha256");
  for await (const bytes of write(report, (async function* () { yield rows; })())) hash.update(bytes);
  hashes[name] = hash.digest("hex");
}
console.log(JSON.stringify(hashes));
`;

describe("the same report in another process", () => {
  beforeAll(() =>
    ensureCompiled(workspace, {
      entry: "reports/report-formats/report-formats.js",
      sources: "reports/report-formats/**/*.ts",
    }),
  );

  it.each(["America/St_Johns", "Asia/Kathmandu"])(
    "has the same bytes in the time zone %s and with another locale",
    async (zone) => {
      const { stdout } = await run(
        process.execPath,
        ["--input-type=module", "--eval", program, "--", JSON.stringify([report, rows])],
        { env: { TZ: zone, LANG: "de_DE.UTF-8", LC_ALL: "tr_TR.UTF-8" } },
      );
      const here: Record<string, string> = {};
      for (const [name, { write }] of Object.entries(reportFormats))
        here[name] = createHash("sha256")
          .update(await bytesOf(write, report, batches(rows)))
          .digest("hex");
      expect(JSON.parse(stdout)).toEqual(here);
    },
  );
});
