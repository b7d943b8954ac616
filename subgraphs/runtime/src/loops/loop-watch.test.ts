import { createLogger } from "../telemetry/logger.js";
import { DrainLoop } from "./drain-loop.js";
import { type BackgroundLoop, LoopWatch, loopWatch } from "./loop-watch.js";
import { PeriodicLoop } from "./periodic-loop.js";

const quiet = createLogger("loops", "silent");
const never = () => new Promise<never>(() => undefined);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("a watch of loops", () => {
  let restarts: number;
  const aLoop = (changes: Partial<BackgroundLoop> = {}): BackgroundLoop => ({
    ...{ name: "one", periodMs: 10_000, logger: quiet },
    restart: () => {
      restarts += 1;
    },
    ...changes,
  });
  beforeEach(() => {
    restarts = 0;
  });

  it("restarts a loop that is a minute later than its period, and says so until it turns", () => {
    const watch = new LoopWatch();
    const loop = watch.add(aLoop());
    watch.pass(70_000);
    expect([restarts, watch.late]).toEqual([0, []]);
    watch.pass(1000);
    expect([restarts, watch.late]).toEqual([1, [{ name: "one", lateMs: 61_000, isStuck: false }]]);
    watch.pass(60_000);
    expect([restarts, watch.late[0]?.isStuck]).toEqual([1, false]);
    watch.pass(1000);
    expect([restarts, watch.late[0]?.isStuck]).toEqual([2, true]);
    loop.turned();
    expect(watch.late).toEqual([]);
    expect([...watch.restarts]).toEqual([["one", 2]]);
  });

  it("leaves a loop alone that turns, that does work with a limit of its own, or that has left", async () => {
    const watch = new LoopWatch();
    const [turning, working, removedWatch] = [watch.add(aLoop()), watch.add(aLoop()), watch.add(aLoop())];
    removedWatch.leave();
    let finish: () => void = () => undefined;
    const work = working.during(() => new Promise<void>((resolve) => (finish = resolve)));
    for (let minute = 0; minute < 30; minute += 1) {
      watch.pass(60_000);
      turning.turned();
    }
    expect(restarts).toBe(0);
    finish();
    await work;
    watch.pass(71_000);
    expect(restarts).toBe(2);
    turning.leave();
    working.leave();
  });

  it("tells the longest time without a turn of loops with one name", () => {
    const watch = new LoopWatch();
    watch.add(aLoop());
    watch.pass(5000);
    watch.add(aLoop());
    watch.pass(1000);
    expect([...watch.idleMs]).toEqual([["one", 6000]]);
  });
});

describe("a loop whose turn does not end", () => {
  it("drains anew after its restart, and ignores the end of the old drain", async () => {
    let drains = 0;
    let endFirst: (drained: "empty") => void = () => undefined;
    const drain = (): Promise<"empty"> => {
      drains += 1;
      return drains === 1 ? new Promise((resolve) => (endFirst = resolve)) : Promise.resolve("empty");
    };
    const loop = new DrainLoop("drain that hangs", drain, quiet);
    loop.wake();
    loopWatch.pass(62_000);
    await until(() => drains === 2);
    expect(loopWatch.restarts.get("drain that hangs")).toBe(1);
    endFirst("empty");
    await new Promise((resolve) => setTimeout(resolve, 20));
    loop.wake();
    await until(() => drains === 3);
    await loop.stop();
    expect(drains).toBe(3);
  });

  it("turns periodically after its restart", async () => {
    let turns = 0;
    const loop = new PeriodicLoop({ name: "period that hangs", periodMs: 5, logger: quiet, failure: "failed" });
    loop.start(() => {
      turns += 1;
      return turns === 1 ? never() : Promise.resolve();
    });
    await until(() => turns === 1);
    loopWatch.pass(61_000);
    await until(() => turns > 3);
    await loop.stop();
    expect(loopWatch.restarts.get("period that hangs")).toBe(1);
  });

  it("counts a failed turn as a turn", async () => {
    let turns = 0;
    const loop = new DrainLoop("drain that fails", () => Promise.reject(new Error(`drain ${(turns += 1)}`)), quiet);
    loop.wake();
    await until(() => turns === 1);
    loopWatch.pass(40_000);
    loop.wake();
    await until(() => turns === 2);
    loopWatch.pass(40_000);
    expect(loopWatch.restarts.get("drain that fails")).toBe(0);
    await loop.stop();
  });
});
