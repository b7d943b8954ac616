import { retryAfter } from "./retry-after.js";

const now = Date.parse("2026-11-23T12:00:00Z");
const after = (nextAttemptAt: unknown) => retryAfter({ nextAttemptAt }, now);

it("a reader comes back when the work goes on", () => {
  expect(after(null)).toBe("1");
  expect(after(undefined)).toBe("1");
  expect(after("2026-11-23T11:59:00Z")).toBe("1");
  expect(after("2026-11-23T12:00:29.500Z")).toBe("30");
  expect(after("2026-11-24T12:00:00Z")).toBe("3600");
});
