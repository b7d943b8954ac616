import pg from "pg";
import { aDatabase, quiet, type TestDatabase, until } from "../unit-of-work/database.fixture.js";
import { PlatformLimits } from "./platform-limits.js";

let test: TestDatabase;
let admin: pg.Client;
const openLimits: PlatformLimits[] = [];

beforeAll(async () => {
  test = await aDatabase();
  admin = new pg.Client({ connectionString: test.url });
  await admin.connect();
});

afterEach(async () => {
  await Promise.all(openLimits.splice(0).map((limits) => limits.close()));
});

afterAll(async () => {
  await admin.end();
  await test.close();
});

/** Its clock stands still, so that points wait for the next share however long the exchange takes, and no window ends. */
async function aProcess(): Promise<PlatformLimits> {
  const limits = await PlatformLimits.open(test.definition.connections.worker, quiet, { clock: () => 0 });
  openLimits.push(limits);
  return limits;
}

/** Processes that know each other. */
async function processes(count: number): Promise<PlatformLimits[]> {
  const startedProcesses: PlatformLimits[] = [];
  for (let place = 0; place < count; place += 1) startedProcesses.push(await aProcess());
  await until(() => startedProcesses.every(({ peers }) => peers === count - 1));
  return startedProcesses;
}

let names = 0;
const aKey = () => `read ten_${process.pid}_${(names += 1)}`;

/** Spends until it is refused so often in a row, and returns how many points were admitted. */
async function spendAll({ budgets }: PlatformLimits, key: string, limit: number, refusals = 3): Promise<number> {
  let admittedPoints = 0;
  for (let refusedInRow = 0; refusedInRow < refusals; ) {
    const { exceeded } = await budgets.spend({ key, limit });
    if (exceeded) refusedInRow += 1;
    else admittedPoints += 1;
  }
  return admittedPoints;
}

describe("a budget over several processes", () => {
  it("belongs to a single process as a whole, and nothing waits", async () => {
    const [only] = await processes(1);
    const key = aKey();
    const states = Array.from({ length: 101 }, () => only?.budgets.take({ key, limit: 100 }));
    expect(states.filter((state) => state?.exceeded)).toHaveLength(1);
    expect(states[0]).toMatchObject({ remaining: 99 });
    expect(states[100]?.waitMs).toBeGreaterThan(1000);
  });

  it("lets at most 110 % and at least 90 % through when all are called at once", async () => {
    const all = await processes(3);
    const key = aKey();
    const admittedCounts = await Promise.all(all.map((limits) => spendAll(limits, key, 300)));
    const sum = admittedCounts.reduce((before, count) => before + count);
    expect(sum).toBeGreaterThanOrEqual(270);
    expect(sum).toBeLessThanOrEqual(330);
  });

  it("goes to the one process that is called, and then the others have almost nothing", async () => {
    const [busy, idle] = await processes(2);
    if (!busy || !idle) throw new Error("no processes");
    const key = aKey();
    const first = await spendAll(busy, key, 200);
    const second = await spendAll(idle, key, 200);
    expect(first).toBeGreaterThanOrEqual(180);
    expect(first + second).toBeLessThanOrEqual(220);
  });

  it("is not used up by refused points, and small limits need no second try", async () => {
    const [first, other] = await processes(2);
    if (!first || !other) throw new Error("no processes");
    const key = aKey();
    const states = [];
    for (let time = 0; time < 6; time += 1)
      for (const { budgets } of [first, other]) states.push(await budgets.spend({ key, limit: 12 }));
    expect(states.filter(({ exceeded }) => exceeded)).toEqual([]);
    expect((await first.budgets.spend({ key, limit: 12, points: 13 })).exceeded).toBe(true);
  });

  it("remembers the points of a process that has stopped, and not its share", async () => {
    const [first, second] = await processes(2);
    if (!first || !second) throw new Error("no processes");
    const key = aKey();
    for (let time = 0; time < 40; time += 1) await first.budgets.spend({ key, limit: 100 });
    await until(async () => (await spentOf(key)) === 40);
    await first.close();
    openLimits.splice(openLimits.indexOf(first), 1);
    expect(await spendAll(second, key, 100)).toBe(60);
  });

  it("counts charges in any case, also those of other processes", async () => {
    const [first, other] = await processes(2);
    if (!first || !other) throw new Error("no processes");
    const key = aKey();
    expect(first.budgets.charge({ key, limit: 10, points: 25 })).toMatchObject({ exceeded: false, remaining: 0 });
    await until(async () => (await spentOf(key)) === 25);
    await until(async () => (await other.budgets.spend({ key, limit: 10 })).exceeded);
  });

  it("costs a statement a second at most, and nothing while nobody uses it", async () => {
    const [first] = await processes(2);
    if (!first) throw new Error("no process");
    const keys = Array.from({ length: 200 }, aKey);
    const versions = async () =>
      Number(
        (
          await admin.query<{ n: string }>(
            "select n_tup_ins + n_tup_upd as n from pg_stat_user_tables where relname = 'processes'",
          )
        ).rows[0]?.n,
      );
    const before = await versions();
    const startedAt = performance.now();
    while (performance.now() - startedAt < 3000) {
      for (const key of keys) await first.budgets.spend({ key, limit: 1000 });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await until(async () => (await sharesOf(keys)) === 0);
    const seconds = (performance.now() - startedAt) / 1000;
    // two processes, each with at most one statement a second, and their first ones
    expect((await versions()) - before).toBeLessThanOrEqual(2 * (seconds + 2));
  });

  it("is refused again after a restart of the only process", async () => {
    const [first] = await processes(1);
    const key = aKey();
    first?.budgets.charge({ key, limit: 10, points: 11 });
    await until(async () => (await spentOf(key)) === 11);
    await first?.close();
    openLimits.splice(0);
    const [second] = await processes(1);
    await until(async () => (await second?.budgets.spend({ key, limit: 10 }))?.exceeded === true);
  });
});

const spentOf = async (key: string) =>
  Number(
    (
      await admin.query<{ spent: string }>(
        "select sum((counts->>'spent')::int) as spent from limits.budgets, jsonb_each(holders) holder(id, counts) where key = $1",
        [key],
      )
    ).rows[0]?.spent ?? 0,
  );

/** How many budgets have a process with a share. */
const sharesOf = async (keys: string[]) =>
  Number(
    (
      await admin.query<{ count: string }>(
        `select count(*) from limits.budgets, jsonb_each(holders) holder(id, counts)
         where key = any($1) and (counts->>'until')::numeric > 0`,
        [keys],
      )
    ).rows[0]?.count,
  );

describe("the sockets of a principal over several processes", () => {
  it("are at most 20, or 22 where they open at the same time", async () => {
    const [first, other] = await processes(2);
    if (!first || !other) throw new Error("no processes");
    const principal = aKey();
    const grants = await Promise.all(
      Array.from({ length: 30 }, (_, place) => (place % 2 ? first : other).sockets.take(principal)),
    );
    const open = grants.filter(Boolean).length;
    expect(open).toBeGreaterThanOrEqual(20);
    expect(open).toBeLessThanOrEqual(22);
    expect(await first.sockets.take(principal)).toBe(false);
    for (const [place, isOpen] of grants.entries()) if (isOpen) (place % 2 ? first : other).sockets.leave(principal);
    await until(async () => other.sockets.take(principal));
  });

  it("of a killed process do not count after its time", async () => {
    const [first, victim] = await processes(2);
    if (!first || !victim) throw new Error("no processes");
    const principal = aKey();
    for (let time = 0; time < 20; time += 1) expect(await victim.sockets.take(principal)).toBe(true);
    await until(async () => !(await first.sockets.take(principal)));
    const rows = await admin.query("update limits.processes set seen_at = seen_at - interval '1 minute' returning id");
    expect(rows.rowCount).toBeGreaterThan(1);
    await until(async () => first.sockets.take(principal));
  });
});

describe("failures over several processes", () => {
  it("end attempts in all of them, also those that are made at the same time", async () => {
    const [first, other] = await processes(2);
    if (!first || !other) throw new Error("no processes");
    const limits = [{ key: aKey(), limit: 10 }];
    const attempts = await Promise.all(
      Array.from({ length: 30 }, (_, place) => (place % 2 ? first : other).failures.begin(limits, 60_000)),
    );
    const beginCount = attempts.filter((refusal) => refusal === undefined).length;
    expect(beginCount).toBeLessThanOrEqual(10);
    for (let time = 0; time < beginCount; time += 1) await first.failures.end(limits, time < 4);
    for (let time = 0; time < 6; time += 1) {
      expect(await other.failures.begin(limits, 60_000)).toBeUndefined();
      await other.failures.end(limits, true);
    }
    const refusal = await first.failures.begin(limits, 60_000);
    expect(refusal?.leftMs).toBeGreaterThan(0);
  });
});
