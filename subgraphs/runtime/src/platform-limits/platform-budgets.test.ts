import { type BudgetExchange, PlatformBudgets } from "./platform-budgets.js";

/** A process with another one beside it, whose exchanges the test decides. */
function aProcess(peers = 1) {
  const state = { now: 0, isAway: false };
  const exchange: BudgetExchange = {
    peers,
    get isAway() {
      return state.isAway;
    },
    succeededAt: 0,
    request: () => undefined,
  };
  const budgets = new PlatformBudgets(exchange, () => state.now);
  const key = "read ten_1";
  const take = (limit: number, points = 1) => budgets.take({ key, limit, points });
  /** The points that it lets through one by one. */
  const admittedCount = (limit: number): number => {
    for (let count = 0; ; count += 1) if (take(limit).exceeded) return count;
  };
  const answer = (share: number, { window = "1", leftMs = 60_000, spentElsewhere = 0 } = {}) => {
    budgets.report();
    budgets.apply([{ key, window, leftMs, share, spentElsewhere }]);
  };
  return { state, budgets, take, admitted: admittedCount, answer };
}

describe("the part of a process", () => {
  it("is a tenth of the limit until it has a share, and then the share", () => {
    const { admitted, answer, take } = aProcess();
    expect(admitted(100)).toBe(10);
    expect(take(100)).toMatchObject({ exceeded: true, waitMs: 1000 });
    answer(40);
    expect(admitted(100)).toBe(40);
    answer(0, { spentElsewhere: 50 });
    expect(take(100)).toMatchObject({ exceeded: true, remaining: 0, waitMs: 60_000 });
  });

  it("is at least one point, and the tenth is for all others together", () => {
    expect(aProcess().admitted(5)).toBe(1);
    expect(aProcess(4).admitted(200)).toBe(5);
    expect(aProcess(0).admitted(200)).toBe(200);
  });

  it("follows a limit that changes before the next exchange", () => {
    const { take, answer } = aProcess();
    take(100);
    answer(49);
    expect(take(100, 50).exceeded).toBe(true);
    expect(take(200, 90).exceeded).toBe(false);
  });

  it("is given back after an exchange without requests", () => {
    const { budgets, take, answer } = aProcess();
    take(100);
    answer(49);
    expect(budgets.report()).toMatchObject([{ spent: 1, wants: false, window: "1" }]);
    budgets.apply([{ key: "read ten_1", window: "1", leftMs: 50_000, share: 0, spentElsewhere: 0 }]);
    expect(budgets.report()).toEqual([]);
    expect(take(100, 11).exceeded).toBe(true);
    expect(take(100, 10).exceeded).toBe(false);
  });

  it("does not take the points of an ended window into the next one", () => {
    const { budgets, take, answer } = aProcess();
    take(100, 10);
    answer(49);
    take(100, 40);
    const [report] = budgets.report();
    expect(report).toMatchObject({ spent: 50, window: "1" });
    take(100, 5);
    budgets.apply([{ key: "read ten_1", window: "2", leftMs: 60_000, share: 50, spentElsewhere: 0 }]);
    expect(budgets.report()).toMatchObject([{ spent: 5, window: "2" }]);
  });
});

describe("the part of a process while the database is away", () => {
  it("is the last share, and in later windows the same for each process", async () => {
    const { state, budgets, take, answer, admitted } = aProcess();
    take(100);
    answer(69);
    state.isAway = true;
    budgets.failed();
    expect(admitted(100)).toBe(69);
    expect(await budgets.spend({ key: "read ten_1", limit: 100 })).toMatchObject({ exceeded: true });
    state.now = 60_001;
    expect(admitted(100)).toBe(50);
  });

  it("is a tenth for a tenant that it does not know, until all shares of others have ended", () => {
    const { state, budgets, admitted } = aProcess();
    state.isAway = true;
    budgets.failed();
    state.now = 30_000;
    expect(admitted(100)).toBe(10);
    state.now = 90_001;
    expect(admitted(100)).toBe(50);
  });
});
