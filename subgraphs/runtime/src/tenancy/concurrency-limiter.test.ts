import { ConcurrencyLimiter } from "./concurrency-limiter.js";

describe("the concurrency limiter", () => {
  it("runs so much work of each tenant at once, and more once some has ended, however it ended", async () => {
    const limiter = new ConcurrencyLimiter({ maxPerTenant: 2 }, "tests");
    let end: (() => void) | undefined;
    const first = limiter.run("a", () => new Promise<void>((resolve) => (end = resolve)));
    const second = limiter.run("a", () => new Promise<void>((_, reject) => setTimeout(reject, 5, new Error("broken"))));
    await expect(limiter.run("a", async () => 1)).rejects.toMatchObject({ code: "RATE_LIMITED" });
    await expect(limiter.run("b", async () => 2)).resolves.toBe(2);
    await expect(second).rejects.toThrow("broken");
    await expect(limiter.run("a", async () => 3)).resolves.toBe(3);
    end?.();
    await first;
  });

  it("keeps one tenant from taking all places", () => {
    const limiter = new ConcurrencyLimiter({ maxTotal: 3, maxPerTenant: 2 }, "tests");
    expect([limiter.acquire("a"), limiter.acquire("a")].every(Boolean)).toBe(true);
    expect(limiter.acquire("a")).toBeUndefined();
    expect(limiter.acquire("b")).toBeDefined();
    expect(limiter.acquire("c")).toBeUndefined();
  });

  it("has its places again once they are released", () => {
    const limiter = new ConcurrencyLimiter({ maxTotal: 1, maxPerTenant: 1 }, "tests");
    for (let round = 0; round < 3; round += 1) {
      const release = limiter.acquire("a");
      expect(limiter.acquire("a")).toBeUndefined();
      release?.();
    }
    expect(limiter.acquire("b")).toBeDefined();
  });
});
