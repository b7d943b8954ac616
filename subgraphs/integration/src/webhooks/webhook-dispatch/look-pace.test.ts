import { LookPace } from "./look-pace.js";

function restAfter(...lengthsMs: readonly number[]): number {
  const pace = new LookPace();
  for (const lengthMs of lengthsMs) pace.looked(lengthMs);
  return pace.restMs;
}

describe("the pause after a look at the table of messages", () => {
  it.each([
    ["is a second after quick looks", [5, 5], 1000],
    ["is 50 times the length of looks that take long", [100, 100], 5000],
    ["does not grow by a single look that had to wait", [5, 600, 5, 2000], 1000],
    ["is never longer than 10 s", [600, 700], 10_000],
    ["is a second again after a quick look", [600, 600, 5], 1000],
  ])("%s", (_, lengthsMs, restMs) => {
    expect(restAfter(...lengthsMs)).toBe(restMs);
  });

  it("is less than what a look reads ahead", () => {
    const pace = new LookPace();
    expect(pace.horizonMs).toBe(2000);
    pace.looked(100);
    pace.looked(100);
    expect(pace.horizonMs).toBe(10_000);
  });
});
