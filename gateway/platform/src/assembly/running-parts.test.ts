import { createLogger } from "@factory/runtime/telemetry/logger";
import { RunningParts } from "./running-parts.js";

const partsWithRecord = () => {
  const closedParts: string[] = [];
  const parts = new RunningParts(createLogger("test", "silent"));
  const add = (name: string) => parts.add(name, async () => void closedParts.push(name));
  return { parts, add, closed: closedParts };
};

describe("RunningParts", () => {
  it("closes in reverse order, once", async () => {
    const { parts, add, closed } = partsWithRecord();
    for (const name of ["database", "bus", "facade"]) add(name);
    await Promise.all([parts.stop(), parts.stop()]);
    expect(closed).toEqual(["facade", "bus", "database"]);
  });

  it("closes what runs when a later starter fails", async () => {
    const { parts, add, closed } = partsWithRecord();
    const start = parts.startOrClose(async () => {
      add("database");
      add("bus");
      throw new Error("the port is in use");
    });
    await expect(start).rejects.toThrow("the port is in use");
    expect(closed).toEqual(["bus", "database"]);
  });

  it("closes a part that was still starting, and skips one whose start failed", async () => {
    const { parts, add, closed } = partsWithRecord();
    add("database");
    parts.addStarting("slow", Promise.resolve({ close: async () => void closed.push("slow") }));
    const failedStart = Promise.reject(new Error("no git"));
    parts.addStarting("failed", failedStart);
    await parts.stop();
    expect(closed).toEqual(["slow", "database"]);
  });

  it("reaches every part although one cannot be closed", async () => {
    const { parts, add, closed } = partsWithRecord();
    add("database");
    parts.add("bus", () => Promise.reject(new Error("lost connection")));
    add("facade");
    await expect(parts.stop()).rejects.toThrow("some parts could not be stopped");
    expect(closed).toEqual(["facade", "database"]);
  });
});
