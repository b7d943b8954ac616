import { defaultRetryDelaysMs, retryDelayMs } from "./retry-schedule.js";

const middle = () => 0.5;
const calm = { overloaded: false };

describe("retry schedule", () => {
  it("makes ten attempts over 75 h 35 m and then none", () => {
    const delays = Array.from({ length: 10 }, (_, attempts) =>
      retryDelayMs(defaultRetryDelaysMs, attempts, calm, middle),
    );
    expect(delays.reduce<number>((sum, delay) => sum + (delay ?? 0), 0)).toBe((75 * 3600 + 35 * 60 + 5) * 1000);
    expect(retryDelayMs(defaultRetryDelaysMs, 10, calm, middle)).toBeUndefined();
  });

  it("spreads each delay by a fifth to both sides", () => {
    expect(retryDelayMs(defaultRetryDelaysMs, 1, calm, () => 0)).toBe(4000);
    expect(retryDelayMs(defaultRetryDelaysMs, 1, calm, () => 1)).toBe(6000);
  });

  it("waits at least a minute for an overloaded receiver", () => {
    expect(retryDelayMs(defaultRetryDelaysMs, 1, { overloaded: true }, middle)).toBe(60_000);
    expect(retryDelayMs(defaultRetryDelaysMs, 2, { overloaded: true }, middle)).toBe(300_000);
  });

  it("honours Retry-After up to a day and never comes earlier than planned", () => {
    expect(retryDelayMs(defaultRetryDelaysMs, 1, { ...calm, retryAfterMs: 90_000 }, middle)).toBe(90_000);
    expect(retryDelayMs(defaultRetryDelaysMs, 2, { ...calm, retryAfterMs: 1000 }, middle)).toBe(300_000);
    expect(retryDelayMs(defaultRetryDelaysMs, 1, { ...calm, retryAfterMs: 1e12 }, middle)).toBe(86_400_000);
  });
});
