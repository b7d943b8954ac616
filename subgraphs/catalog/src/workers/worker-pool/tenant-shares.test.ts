import { TenantShares } from "./tenant-shares.js";

let now = 0;
const clock = () => now;
beforeEach(() => {
  now = 0;
});

describe("TenantShares", () => {
  it("never gives all places to one tenant", () => {
    const shares = new TenantShares(3, clock);
    const release = shares.take("a");
    shares.take("a");
    expect(shares.mayTake("a")).toBe(false);
    expect(shares.mayTake("b")).toBe(true);
    release();
    expect(shares.mayTake("a")).toBe(true);
  });

  it("keeps a place for others when several tenants have run for long", () => {
    const shares = new TenantShares(3, clock);
    for (const tenant of ["a", "b"]) {
      const release = shares.take(tenant);
      now += 5000;
      release();
    }
    shares.take("a");
    shares.take("b");
    expect(["a", "b", "c"].map((tenant) => shares.mayTake(tenant))).toEqual([false, false, true]);
  });

  it("counts the time of what still runs, and the cost of a process that was lost", () => {
    const shares = new TenantShares(2, clock);
    shares.take("a");
    now += 3000;
    const release = shares.take("b");
    release(3000);
    expect(shares.mayTake("b")).toBe(false);
    expect(shares.mayTake("c")).toBe(true);
  });

  it("forgives with time", () => {
    const shares = new TenantShares(2, clock);
    for (const tenant of ["a", "b"]) {
      const release = shares.take(tenant);
      now += 30_000;
      release();
    }
    shares.take("a");
    expect(shares.mayTake("b")).toBe(false);
    now += 200_000;
    expect(shares.mayTake("b")).toBe(true);
  });
});
