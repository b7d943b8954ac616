import { ProbeTimes } from "./probe-times.js";

const minute = 60_000;
const now = new Date("2026-01-01T00:00:00Z");

/** The minutes until the next check, where the random number is as given. */
function minutesUntil(next: "next" | "nextOfUnknown", random: number, intervalMs = 5 * minute): number {
  const times = new ProbeTimes(
    () => now,
    intervalMs,
    () => random,
  );
  return Math.round((times[next](now).getTime() - now.getTime()) / 600) / 100;
}

it.each([
  [0, 4.5],
  [0.25, 4.75],
  [0.5, 5],
  [0.999999, 5.5],
])("with the random number %d the next check of five minutes comes in %d minutes", (random, minutes) => {
  expect(minutesUntil("next", random)).toBe(minutes);
});

it.each([
  [0, 1296],
  [0.5, 1440],
  [0.999999, 1584],
])("with the random number %d a connection that cannot be checked is looked at in %d minutes", (random, minutes) => {
  expect(minutesUntil("nextOfUnknown", random)).toBe(minutes);
});

it("looks at a connection that cannot be checked no sooner than at others", () => {
  expect(minutesUntil("nextOfUnknown", 0.5, 2 * 1440 * minute)).toBe(2 * 1440);
});

it("spreads the checks of many connections over the interval", () => {
  const times = new ProbeTimes(() => now, 5 * minute);
  const next = Array.from({ length: 1000 }, () => times.next(now).getTime() - now.getTime());
  expect(Math.min(...next)).toBeGreaterThanOrEqual(4.5 * minute);
  expect(Math.max(...next)).toBeLessThanOrEqual(5.5 * minute);
  const early = next.filter((ms) => ms < 5 * minute).length;
  expect(early).toBeGreaterThan(400);
  expect(early).toBeLessThan(600);
});
