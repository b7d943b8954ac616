import { aDatabase, quiet, type TestDatabase } from "../unit-of-work/database.fixture.js";
import { openPool } from "./pool.js";
import type { WatchedPool, WatchedPoolConfig } from "./watched-pool.js";

let test: TestDatabase;
let pool: WatchedPool;

beforeAll(async () => {
  test = await aDatabase();
});
afterAll(() => test.close());
afterEach(() => pool.end());

async function open(options: WatchedPoolConfig): Promise<void> {
  pool = openPool(test.url, 3, quiet, options);
  await pool.query("select");
}

const atOnce = (statement: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => pool.query(statement)));

/** The rows at last: a server that gets no processor time is also silent for too long. */
async function untilAnswered(statement: string): Promise<unknown[]> {
  for (;;) {
    const answer = await pool.query(statement).catch((error: Error) => error);
    if (!(answer instanceof Error)) return answer.rows;
    expect(answer.message).toContain("did not answer in time");
  }
}

describe("a pool for background work", () => {
  it("answers requests of one moment over one connection, also after a failure", async () => {
    await open({ growAfterMs: 60_000 });
    await atOnce("select", 6);
    await Promise.allSettled([1, 2].map(() => pool.query("select 1 / 0")));
    await atOnce("select", 6);
    expect(pool.totalCount).toBe(1);
  });

  it("opens another connection when none becomes free in time, and closes it when it is not needed", async () => {
    await open({ growAfterMs: 20, idleTimeoutMillis: 100 });
    const heldClient = await pool.connect();
    await pool.query("select");
    expect(pool.totalCount).toBe(2);
    heldClient.release();
    while (pool.totalCount > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await pool.query("select");
  });

  it("runs a prepared statement again when the server has forgotten it", async () => {
    await open({ growAfterMs: 60_000 });
    const pid = { name: "pid", text: "select pg_backend_pid() as pid" };
    const before = (await pool.query(pid)).rows[0].pid;
    await pool.query("discard all");
    expect((await pool.query(pid)).rows[0].pid).not.toBe(before);
    await pool.query("discard all");
    const caller = { aborted: false };
    expect((await pool.read(pid, caller as Parameters<WatchedPool["read"]>[1])).rows).toHaveLength(1);
    await atOnce("select", 6);
    expect(pool.totalCount).toBe(1);
  });

  it("does not give out a connection again that has met a read-only server", async () => {
    await open({ growAfterMs: 60_000 });
    const takenClient = await pool.connect();
    await expect(takenClient.query("begin read only; create table refused ()")).rejects.toMatchObject({
      code: "25006",
    });
    await takenClient.query("rollback");
    takenClient.release();
    const { rows } = await pool.query("select pg_backend_pid() as pid");
    expect(rows[0].pid).not.toBe((takenClient as unknown as { processID: number }).processID);
    await atOnce("select", 6);
    expect(pool.totalCount).toBe(1);
  });

  it("refuses waiting requests when the server does not answer, and serves those that come later", async () => {
    await open({ growAfterMs: 60_000 });
    const heldClient = await pool.connect();
    const waiting = pool.query("select");
    pool.abandon(new Error("frozen") as Parameters<WatchedPool["abandon"]>[0]);
    await expect(waiting).rejects.toThrow("frozen");
    heldClient.release(true);
    await atOnce("select", 6);
    expect(pool.totalCount).toBe(1);
  });
});

describe("a connection in use", () => {
  it("is closed when it brings nothing for too long, and another one is opened", async () => {
    pool = openPool(test.url, 3, quiet, { silenceMs: 500 });
    await expect(pool.query("select pg_sleep(60)")).rejects.toThrow("did not answer in time");
    await expect(untilAnswered("select 1 as one")).resolves.toEqual([{ one: 1 }]);
  });

  it("may take long while it brings rows", async () => {
    await open({ silenceMs: 4000 });
    const client = await pool.connect();
    // each notice is sent at once
    await client.query(`do $$ begin
      for place in 1..10 loop perform pg_sleep(0.5); raise notice 'place %', place; end loop; end $$`);
    client.release();
  });
});

describe("a pool for requests", () => {
  it("opens a connection for each of them at once", async () => {
    await open({ growAfterMs: undefined });
    await atOnce("select pg_sleep(0.1)", 3);
    expect(pool.totalCount).toBe(3);
  });
});
