import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Entry } from "../chaos/ledger.js";

const run = promisify(execFile);
const chaos = fileURLToPath(new URL("../dist/chaos/main.js", import.meta.url));
/** The former release would have to be built first, and the acts at two processes take minutes. */
const short = [
  // the process is killed once alone, and once with its PostgreSQL
  ...["--kills", "2", "--outages", "1", "--pace", "0.3"],
  ...["--neighbors", "2", "--renders", "4", "--events", "10", "--documents", "100"],
  ...["formerRelease", "silence", "failover", "fullDisk", "restarts", "losses"].flatMap((act) => ["--skip", act]),
  "--json",
];

describe("npm run chaos, as a short run", () => {
  it("loses nothing, does nothing twice and leaves no row without its job", async () => {
    // if a promise is broken, the exit status is 1 and the ledger names the promise
    const { stdout, stderr } = await run(process.execPath, ["--no-warnings", chaos, ...short]).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    if (stdout === "") throw new Error(`The run ended without a ledger: ${stderr.slice(-4_000)}`);
    const ledger = JSON.parse(stdout) as Entry[];
    const counted = ledger.filter(
      ({ unit, atMost, atLeast }) => unit === undefined && (atMost !== undefined || atLeast !== undefined),
    );
    expect(counted.length).toBeGreaterThan(20);
    const isKept = ({ found, atMost = Number.POSITIVE_INFINITY, atLeast = 0 }: Entry) =>
      found <= atMost && found >= atLeast;
    expect(counted.filter((entry) => !isKept(entry))).toEqual([]);
  });
});
