import { setTimeout as pause } from "node:timers/promises";
import { DatabaseUnavailable } from "../errors/database-failure.js";
import { eventually } from "../faults/eventually.fixture.js";
import { createLogger } from "./logger.js";
import { type FurtherFailures, OutageLines } from "./outage-lines.js";

const connectionRefused = () => Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
const noDescriptor = () => Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });

function loggedLines(options: { countEveryMs?: number } = {}) {
  const lines: Record<string, unknown>[] = [];
  const output = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  return { lines, logger: createLogger("test", "info", { output, ...options }) };
}

describe("lines about failures in an outage", () => {
  it("are one for each cause, then a count each minute until a minute brings none", async () => {
    const { lines, logger } = loggedLines({ countEveryMs: 50 });
    const child = logger.child({ subgraph: "spine" });
    for (let at = 0; at < 100; at += 1) {
      logger.warn({ err: connectionRefused() }, "a drain failed");
      child.error({ err: new Error("wrapped", { cause: connectionRefused() }) }, "request failed");
      child.warn({ err: noDescriptor() }, "a job failed");
    }
    expect(lines.map(({ msg }) => msg)).toEqual(["a drain failed", "a job failed"]);
    await eventually("the counts are written", () => lines.length === 4);
    expect(lines.slice(2)).toMatchObject([
      { cause: "Lost", failures: 199, messages: { "a drain failed": 99, "request failed": 100 } },
      { cause: "EMFILE", failures: 99, messages: { "a job failed": 99 } },
    ]);
    await eventually("the outage is over", async () => {
      await pause(200);
      logger.warn({ err: connectionRefused() }, "a later drain failed");
      return lines.some(({ msg }) => msg === "a later drain failed");
    });
  });

  it("are always written about a change of state, and then none about failures with its cause", () => {
    const { lines, logger } = loggedLines();
    for (let at = 0; at < 3; at += 1) {
      logger.warn({ cause: connectionRefused() }, "the database does not answer");
      logger.warn("the database answers again");
      logger.warn({ err: connectionRefused() }, "a drain failed");
    }
    expect(lines.filter(({ msg }) => msg === "the database does not answer")).toHaveLength(3);
    expect(lines.filter(({ msg }) => msg === "the database answers again")).toHaveLength(3);
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatchObject({ cause: { code: "ECONNREFUSED" } });
  });

  it("are none about a refused login, which the watch of the server logs", () => {
    const { lines, logger } = loggedLines();
    logger.warn({ err: new DatabaseUnavailable("Refused", "role is not permitted to log in") }, "a drain failed");
    expect(lines).toEqual([]);
  });

  it("do not hold back failures of one piece of work, or the last words of the process", () => {
    const { lines, logger } = loggedLines();
    const slow = Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" });
    for (let at = 0; at < 3; at += 1) {
      logger.error({ err: new Error("a bug") }, "request failed");
      logger.warn({ err: slow }, "a job failed");
      logger.fatal({ err: connectionRefused() }, "the process stops");
    }
    expect(lines).toHaveLength(9);
  });

  it("name no more than 20 messages", async () => {
    const reports: FurtherFailures[] = [];
    const outages = new OutageLines((failures) => reports.push(failures), 50);
    for (let at = 0; at < 100; at += 1) outages.passes(connectionRefused(), `message ${at}`);
    await eventually("the count is told", () => reports.length === 1);
    expect(reports[0]?.failures).toBe(99);
    expect(reports[0]?.messages).toMatchObject({ "message 20": 1, others: 79 });
  });
});
