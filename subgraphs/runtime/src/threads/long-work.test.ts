import { AsyncLocalStorage } from "node:async_hooks";
import { LongWork, type PausableWork } from "./long-work.js";

/** Each work step takes a millisecond on the clock, and a turn lasts three. The turns are run by hand. */
function stage() {
  let now = 0;
  const turns: (() => void)[] = [];
  const rests: { readonly end: () => void; readonly ms: number }[] = [];
  const finishedSteps: string[] = [];
  const work = new LongWork({
    ...{ sliceMs: 3, maxStepMs: 5, maxPerTenant: 2, clock: () => now },
    nextTurn: (turn) => turns.push(turn),
    later: (end, ms) => rests.push({ end, ms }),
  });
  function* steps(name: string, count: number): PausableWork<string> {
    for (let step = 1; step <= count; step += 1) {
      now += 1;
      finishedSteps.push(`${name}${step}`);
      yield;
    }
    return name;
  }
  function* long(name: string, ms: number): PausableWork<string> {
    now += ms;
    finishedSteps.push(name);
    yield;
    return name;
  }
  const turn = () => turns.splice(0).forEach((runTurn) => runTurn());
  return { work, steps, long, done: finishedSteps, turns, rests, turn };
}

describe("long work", () => {
  it("gives the event loop back after each slice", async () => {
    const { work, steps, done, turns, turn } = stage();
    const result = work.run("ten_1", steps("a", 7));
    const counts = [done.length];
    while (turns.length > 0) {
      turn();
      counts.push(done.length);
    }
    expect(counts).toEqual([3, 6, 7, 7, 7]);
    expect(await result).toBe("a");
  });

  it("takes one slice in a turn, however much work waits", () => {
    const { work, steps, done, turns, turn } = stage();
    for (const tenantId of ["ten_1", "ten_2", "ten_3"]) void work.run(tenantId, steps(tenantId, 9));
    expect([done.length, turns.length]).toEqual([3, 1]);
    turn();
    expect([done.length, turns.length]).toEqual([6, 1]);
  });

  it("does short work at once, but only one slice of it in a turn", async () => {
    const { work, steps, done, turns, turn } = stage();
    const first = work.run("ten_1", steps("a", 2));
    expect(await first).toBe("a");
    const second = work.run("ten_1", steps("b", 2));
    expect(done).toEqual(["a1", "a2"]);
    turn();
    turn();
    expect(await second).toBe("b");
    expect(turns).toHaveLength(1);
  });

  it("takes the first step of work at once, where the rest waits for its turn", async () => {
    const { work, steps, done, turn } = stage();
    expect(work.begin("ten_1", steps("none", 0))).toBe("none");
    void work.run("ten_1", steps("a", 9));
    const rest = work.begin("ten_2", steps("b", 2));
    expect(done).toEqual(["a1", "a2", "a3", "b1"]);
    expect(rest).toBeInstanceOf(Promise);
    turn();
    turn();
    expect(await rest).toBe("b");
  });

  it("ends the slice with a work that is done, and leaves a turn for its answer and for what follows it", () => {
    const { work, steps, done, turn } = stage();
    for (const name of ["a", "b", "c"]) void work.run("ten_1", steps(name, 1)).catch(() => undefined);
    expect(done).toEqual(["a1"]);
    turn();
    expect(done).toEqual(["a1"]);
    turn();
    expect(done).toEqual(["a1", "b1"]);
  });

  it("lets a tenant rest after a step that could not pause, and goes on with that of others", async () => {
    const { work, steps, long, done, turns, rests, turn } = stage();
    const parsedResult = work.run("ten_1", long("a", 6));
    const other = work.run("ten_2", steps("b", 4));
    while (turns.length > 0) turn();
    expect(await other).toBe("b");
    expect([done, rests.map(({ ms }) => ms)]).toEqual([["a", "b1", "b2", "b3", "b4"], [48]]);
    rests[0]?.end();
    while (turns.length > 0) turn();
    expect(await parsedResult).toBe("a");
    expect(rests).toHaveLength(1);
  });

  it("lets a tenant rest a quarter of a second at most", () => {
    const { work, long, rests } = stage();
    void work.run("ten_1", long("a", 1000));
    expect(rests.map(({ ms }) => ms)).toEqual([250]);
  });

  it("lets tenants take turns, and keeps the order of each", () => {
    const { work, steps, done, turns, turn } = stage();
    for (const [tenantId, name] of [
      ["ten_1", "a"],
      ["ten_1", "b"],
      ["ten_2", "c"],
    ] as const)
      void work.run(tenantId, steps(name, 4));
    while (turns.length > 0) turn();
    expect(done.slice(0, 6)).toEqual(["a1", "a2", "a3", "a4", "c1", "c2"]);
    expect(done.indexOf("c1")).toBeLessThan(done.indexOf("b1"));
  });

  it("refuses more work of one tenant than may wait, and takes that of others", async () => {
    const { work, steps, turns, turn } = stage();
    await work.run("ten_1", steps("first", 1));
    const acceptedWork = [work.run("ten_1", steps("a", 1)), work.run("ten_1", steps("b", 1))];
    await expect(work.run("ten_1", steps("c", 1))).rejects.toMatchObject({ code: "RATE_LIMITED" });
    acceptedWork.push(work.run("ten_2", steps("d", 1)));
    while (turns.length > 0) turn();
    expect(await Promise.all(acceptedWork)).toEqual(["a", "b", "d"]);
    expect(await work.run("ten_1", steps("e", 1))).toBe("e");
  });

  it("rejects with the error of the work, and goes on with the others", async () => {
    const { work, steps, turns, turn } = stage();
    function* failing(): PausableWork<string> {
      yield;
      throw new Error("no");
    }
    const failedWork = work.run("ten_1", failing());
    const other = work.run("ten_2", steps("a", 1));
    const rejection = expect(failedWork).rejects.toThrow("no");
    while (turns.length > 0) turn();
    await rejection;
    expect(await other).toBe("a");
  });

  it("goes on in the context of its caller", async () => {
    const storage = new AsyncLocalStorage<string>();
    const work = new LongWork();
    function* twice(): PausableWork<number> {
      yield;
      return 2;
    }
    const contexts = await Promise.all(
      ["one", "two"].map((name) =>
        storage.run(name, async () => {
          await work.run(name, twice());
          return storage.getStore();
        }),
      ),
    );
    expect(contexts).toEqual(["one", "two"]);
  });
});
