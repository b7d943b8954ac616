import { aloneBudgetMs, JobGate, smallestRunMs } from "./job-gate.js";

const minuteMs = 60_000;

describe("the gate of jobs", () => {
  it("keeps ordinary jobs outside while one runs alone, and lets that begin when they have ended", async () => {
    const gate = new JobGate();
    const order: string[] = [];
    gate.enter();
    const alone = gate.alone(smallestRunMs, async () => {
      order.push("alone");
    });
    await Promise.resolve();
    expect(gate.closed).toBeDefined();
    expect(() => gate.enter()).toThrow("closed");
    order.push("ordinary ends");
    gate.leave();
    expect(await alone).toBe(true);
    expect(order).toEqual(["ordinary ends", "alone"]);
    expect(gate.closed).toBeUndefined();
  });

  it("lets one job at a time run alone", async () => {
    const gate = new JobGate();
    let running = 0;
    const run = async () => {
      running += 1;
      expect(running).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    expect(await Promise.all([1, 2, 3].map(() => gate.alone(smallestRunMs, run)))).toEqual([true, true, true]);
  });

  it("allows 60 s of such runs in any 5 minutes, runs before the start included", async () => {
    const gate = new JobGate();
    const now = Date.now();
    let limit = 0;
    const run = async (limitMs: number) => {
      limit = limitMs;
    };
    gate.charge({ startedAt: now - 4 * minuteMs, endedAt: now - 4 * minuteMs + 40_000.25 });
    expect(await gate.alone(aloneBudgetMs, run)).toBe(false);
    expect(await gate.alone(smallestRunMs, run)).toBe(true);
    expect(limit).toBeLessThanOrEqual(20_000);
    expect(Number.isInteger(limit)).toBe(true);
    gate.charge({ startedAt: now - minuteMs, endedAt: now - minuteMs + 10_000 });
    expect(await gate.alone(smallestRunMs, run)).toBe(false);
  });

  it("forgets runs of more than 5 minutes ago, and charges one that its process died of with 20 s", async () => {
    const gate = new JobGate();
    const now = Date.now();
    const run = async () => undefined;
    gate.charge({ startedAt: now - 7 * minuteMs, endedAt: now - 6 * minuteMs });
    expect(await gate.alone(aloneBudgetMs, run)).toBe(true);
    for (const ago of [1, 2, 3]) gate.charge({ startedAt: now - ago * minuteMs });
    expect(await gate.alone(smallestRunMs, run)).toBe(false);
  });
});
