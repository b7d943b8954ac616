import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/platform/client/platform-process";
import { eventually } from "../kit/eventually.js";
import { request } from "../kit/request.js";

describe("an error that is not caught", () => {
  let dataDir: string;
  let platform: PlatformProcess | undefined;
  let log: string;

  const start = async (action: string) => {
    log = "";
    platform = await startPlatformProcess(dataDir, { FAIL: `platform.readiness:${action}:1` }, (line) => {
      log += `${line}\n`;
    });
    return platform;
  };
  const lines = () =>
    log
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
  });
  afterAll(async () => {
    await platform?.stop();
    await removeData(dataDir);
  });

  it("does not stop the process when it is a rejected promise: the error is logged and counted", async () => {
    const running = await start("reject");
    const base = running.publicUrl;
    await request("GET /readyz", { base });
    await eventually("the rejection is logged", () => log.includes("a rejected promise was not handled"));
    const logged = lines().find(({ msg }) => msg === "a rejected promise was not handled");
    expect([logged.level, logged.err.message]).toEqual([50, expect.stringContaining("failpoint platform.readiness")]);
    expect(logged.err.stack).toMatch(/failpoint\.ts:\d+/);
    expect(logged.err.stack).toContain("rejected, and nothing awaits it");
    const { text } = await request("GET /metrics", { base });
    expect(text).toContain('process_unexpected_errors_total{kind="unhandledRejection"} 1');
    expect((await request("GET /readyz", { base })).status).toBe(200);
    expect(await running.stop()).toBe(0);
  });

  it("stops the process and PostgreSQL in the usual order when it is an exception in a timer", async () => {
    const { publicUrl: base, ended } = await start("throw");
    const { pid } = JSON.parse(await readFile(join(dataDir, "postgres.json"), "utf8")) as { pid: number };
    await request("GET /readyz", { base });
    expect(await ended).toBe(1);
    await eventually("the exception is logged", () => log.includes("the process stops"));
    const logged = lines().find(({ msg }) => msg === "an exception was not caught; the process stops");
    expect([logged.level, logged.err.message]).toEqual([60, expect.stringContaining("failpoint platform.readiness")]);
    expect(logged.err.stack).toContain("thrown out of a timer");
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    await expect(readFile(join(dataDir, "runtime.json"))).rejects.toThrow("ENOENT");
    expect(JSON.parse(await readFile(join(dataDir, "postgres.json"), "utf8")).pid).toBeNull();
  });
});
