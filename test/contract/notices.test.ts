import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * The places that may use NOTIFY: after a commit, and in the two logs that are read by position, where writers wait for
 * each other anyway.
 */
const allowedFiles = [
  "subgraphs/integration/src/events/event-log/event-log.service.ts",
  "subgraphs/runtime/src/bus/outbox-move.ts",
  "subgraphs/runtime/src/bus/postgres-bus.ts",
  "subgraphs/runtime/src/db/notice.ts",
  "subgraphs/runtime/src/outbox/relay.ts",
];

describe("NOTIFY", () => {
  it("is not used in a transaction that writes, because its commit would wait for all other commits", async () => {
    const sources = ["*.ts", ":!*.test.ts", ":!*.fixture.ts", ":!**/migrations/*", ":!test/*"];
    const { stdout } = await run("git", [
      "-C",
      root,
      "grep",
      "-liE",
      "pg_notify|\\bnotify [a-z_]+[,;'\"`]",
      "--",
      ...sources,
    ]);
    expect(stdout.split("\n").filter(Boolean).sort()).toEqual(allowedFiles);
  });
});
