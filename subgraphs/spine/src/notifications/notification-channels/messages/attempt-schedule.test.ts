import { AttemptSchedule } from "./attempt-schedule.js";

describe("the next attempt of a delivery", () => {
  it.each([
    ["at once", 0, 30],
    ["after 20 s", 20, 30],
    ["after a minute", 60, 60],
    ["after half an hour", 1800, 1800],
    ["after five hours", 18_000, 3600],
  ])("comes %s", (_, waitedSeconds, pauseSeconds) => {
    const createdAt = new Date("2026-11-23T10:00:00Z");
    const now = new Date(createdAt.getTime() + waitedSeconds * 1000);
    const next = new AttemptSchedule().next(createdAt, now);
    expect(next?.getTime()).toBe(now.getTime() + pauseSeconds * 1000);
  });

  it("does not come after a day", () => {
    const createdAt = new Date("2026-11-23T10:00:00Z");
    expect(new AttemptSchedule().next(createdAt, new Date("2026-11-24T10:00:00Z"))).toBeUndefined();
  });
});
