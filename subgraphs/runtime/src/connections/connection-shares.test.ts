import { setTimeout as pause } from "node:timers/promises";
import { databaseFailure } from "../errors/database-failure.js";
import { ConnectionShares } from "./connection-shares.js";

/** Works that hold a connection until they are told to end. */
function works(shares: ConnectionShares) {
  const running: string[] = [];
  const ends = new Map<string, (() => void)[]>();
  return {
    running,
    start: (tenant: string) =>
      shares.run(tenant, async () => {
        running.push(tenant);
        await new Promise<void>((end) => ends.set(tenant, [...(ends.get(tenant) ?? []), end]));
      }),
    end: async (tenant: string) => {
      ends.get(tenant)?.shift()?.();
      await pause(0);
    },
  };
}

describe("the connections of a pool", () => {
  it("one tenant holds at most half of the pool", async () => {
    const { running, start, end } = works(new ConnectionShares(10));
    const hostile = Array.from({ length: 50 }, () => start("hostile"));
    const others = Array.from({ length: 5 }, (_, at) => start(`other ${at}`));
    expect(running.filter((tenant) => tenant === "hostile")).toHaveLength(5);
    expect(running).toHaveLength(10);
    for (let at = 0; at < 5; at += 1) await end(`other ${at}`);
    await Promise.all(others);
    expect(running.filter((tenant) => tenant === "hostile")).toHaveLength(5);
    for (let at = 0; at < 50; at += 1) await end("hostile");
    await Promise.all(hostile);
  });

  it("waiting tenants take turns, for any number of requests of one tenant", async () => {
    const { running, start, end } = works(new ConnectionShares(2));
    const all = [start("first"), start("second")];
    for (let at = 0; at < 20; at += 1) all.push(start("hostile"));
    all.push(start("small"), start("other"));
    await end("first");
    await end("hostile");
    await end("small");
    await end("second");
    expect(running.slice(2, 6)).toEqual(["hostile", "small", "other", "hostile"]);
    for (let at = 0; at < 20; at += 1) {
      await end("hostile");
      await end("other");
    }
    await Promise.all(all);
  });

  it("a full pool is 503 in time, and running work is not affected", async () => {
    const shares = new ConnectionShares(2);
    shares.sweep(60_000);
    const { start, end } = works(shares);
    const first = start("one");
    const waits = start("one").catch((error: unknown) => error);
    shares.sweep(61_900);
    const comesLater = start("one");
    shares.sweep(62_000);
    expect(databaseFailure(await waits)).toBe("Crowded");
    await end("one");
    await first;
    await end("one");
    await comesLater;
  });

  it("waiting requests are refused at once when the server is frozen", async () => {
    const shares = new ConnectionShares(2);
    const { start, end } = works(shares);
    const first = start("one");
    const waiting = [start("one"), start("one")];
    shares.abandon(new Error("frozen"));
    await expect(Promise.allSettled(waiting)).resolves.toMatchObject([
      { reason: { message: "frozen" } },
      { reason: { message: "frozen" } },
    ]);
    await end("one");
    await first;
  });
});
