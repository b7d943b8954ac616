import pg from "pg";
import { aDatabase, quiet, type TestDatabase } from "../unit-of-work/database.fixture.js";
import { type Turn, Turns } from "./leader-election.js";

describe("leader election", () => {
  let test: TestDatabase;
  let admin: pg.Client;
  const openTurns: Turns[] = [];

  beforeAll(async () => {
    test = await aDatabase();
    admin = new pg.Client({ connectionString: test.url });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await test.close();
  });
  afterEach(async () => {
    await Promise.all(openTurns.splice(0).map((turns) => turns.close()));
  });

  const aProcess = () => {
    const turns = new Turns(test.definition.connections.worker, quiet);
    openTurns.push(turns);
    return turns;
  };

  it("uses one lock for requests at the same time, so that one release frees it", async () => {
    const [first, second] = [aProcess().of("relay", "catalog"), aProcess().of("relay", "catalog")];
    expect(await Promise.all([first.take(), first.take(), first.take()])).toEqual([true, true, true]);
    await first.give();
    expect(await second.take()).toBe(true);
    expect(await first.take()).toBe(false);
  });

  it("gives the lock to only one part of a process", async () => {
    const turns = aProcess();
    expect(await turns.of("consumer", "one").take()).toBe(true);
    expect(await turns.of("consumer", "one").take()).toBe(false);
    expect(await turns.of("consumer", "two").take()).toBe(true);
  });

  const backendsOf = async (lock: readonly [number, string]): Promise<number[]> => {
    const { rows } = await admin.query<{ pid: number }>(
      "select pid from pg_locks where locktype = 'advisory' and classid = $1 and objid::bigint = (hashtext($2)::bigint & 4294967295) and granted",
      [...lock],
    );
    return rows.map(({ pid }) => pid);
  };
  const eventuallyTakes = async (turn: Turn) => {
    while (!(await turn.take())) await new Promise((resolve) => setTimeout(resolve, 100));
  };

  it("gives the turn of a process that has ended to another one at once", async () => {
    const [first, second] = [aProcess().of("relay", "ended"), aProcess().of("relay", "ended")];
    expect(await first.take()).toBe(true);
    expect(await second.take()).toBe(false);
    const [pid] = await backendsOf(first.lock);
    const endedMs = performance.now();
    await admin.query("select pg_terminate_backend($1)", [pid]);
    await eventuallyTakes(second);
    expect(performance.now() - endedMs).toBeLessThan(10_000);
    expect([first.held, await first.take()]).toEqual([false, false]);
  });

  it("does not leave a turn to a session that went silent", async () => {
    const turn = aProcess().of("relay", "silent");
    expect(await turn.take()).toBe(true);
    const [pid = 0] = await backendsOf(turn.lock);
    process.kill(pid, "SIGSTOP");
    try {
      // the renewal is not answered, and the holder takes its turn again while the lock is still held
      while (turn.held) await new Promise((resolve) => setTimeout(resolve, 100));
      await eventuallyTakes(turn);
      expect(await backendsOf(turn.lock)).toEqual([pid]);
      expect(await aProcess().of("relay", "silent").take()).toBe(false);
      await turn.give();
      await eventuallyTakes(aProcess().of("relay", "silent"));
    } finally {
      process.kill(pid, "SIGCONT");
    }
  });

  it("gives the turn of a process that stands still to another one when it has lapsed", async () => {
    const [first, second] = [aProcess().of("consumer", "still"), aProcess().of("consumer", "still")];
    expect(await first.take()).toBe(true);
    // as if the process had not renewed it
    await admin.query("update bus.turns set lapses_at = now() - interval '1 s' where name = $1", [first.key]);
    await eventuallyTakes(second);
    while (first.held) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await second.take()).toBe(true);
  });

  it("frees the locks when the process closes them", async () => {
    const turns = aProcess();
    const turn = turns.of("relay", "closed");
    expect(await turn.take()).toBe(true);
    await turns.close();
    expect(turn.held).toBe(false);
    expect(await aProcess().of("relay", "closed").take()).toBe(true);
  });
});
