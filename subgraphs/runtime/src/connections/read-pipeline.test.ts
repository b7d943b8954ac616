import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { isDatabaseUnavailable } from "../errors/database-failure.js";
import { continueTrace } from "../telemetry/trace.js";
import { aDatabase, aTenant, quiet, type TestDatabase } from "../unit-of-work/database.fixture.js";
import { ReadPipeline } from "./read-pipeline.js";
import { ServerWatch } from "./server-watch.js";

const echo = (value: string) => ({
  name: "echo",
  text: "select $1::int as value, pg_backend_pid() as pid",
  values: [value],
});

interface Echo {
  value: number;
  pid: number;
}

describe("ReadPipeline", () => {
  let test: TestDatabase;
  let pipeline: ReadPipeline;

  beforeAll(async () => {
    test = await aDatabase();
  });
  beforeEach(() => {
    pipeline = new ReadPipeline(test.url, 2, ServerWatch.of(test.url, quiet));
  });
  afterEach(() => pipeline.close());
  afterAll(() => test.close());

  const echoOf = async (value: string) => (await pipeline.query<Echo>(echo(value)))[0];
  const endBackends = async (pids: Set<number | undefined>) => {
    const admin = new pg.Client({ connectionString: test.url });
    await admin.connect();
    await admin.query("select pg_terminate_backend(pid) from unnest($1::int[]) as pid", [[...pids]]);
    await admin.end();
  };

  it("returns to every read of one turn of the event loop its own row, over one connection", async () => {
    const answers = await Promise.all(Array.from({ length: 500 }, (_, index) => echoOf(String(index))));
    expect(answers.map((row) => row?.value)).toEqual(Array.from({ length: 500 }, (_, index) => index));
    expect(new Set(answers.map((row) => row?.pid)).size).toBe(1);
  });

  it("fails only the read that the server refuses", async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) => echoOf(index % 3 === 0 ? "no number" : String(index))),
    );
    for (const [index, answer] of answers.entries()) {
      if (index % 3 === 0) expect(answer).toMatchObject({ status: "rejected", reason: { code: "22P02" } });
      else expect(answer).toMatchObject({ status: "fulfilled", value: { value: index } });
    }
  });

  it("opens another connection when the first is busy, up to its limit", async () => {
    const answers: Promise<Echo | undefined>[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      const slow = { name: "slow", text: "select 1 as value, pg_backend_pid() as pid from pg_sleep(0.02)", values: [] };
      answers.push(pipeline.query<Echo>(slow).then(([row]) => row));
      await pause(1);
    }
    expect(new Set((await Promise.all(answers)).map((row) => row?.pid)).size).toBe(2);
  });

  it("replaces a connection that the server ended; running reads fail as unavailable", async () => {
    const first = await echoOf("1");
    const slow = pipeline.query({ name: "slow", text: "select from pg_sleep(10)", values: [] });
    const failure = slow.then(
      () => "answered",
      (error: unknown) => isDatabaseUnavailable(error),
    );
    await endBackends(new Set([first?.pid]));
    expect(await failure).toBe(true);
    const next = await echoOf("2");
    expect(next).toMatchObject({ value: 2 });
    expect(next?.pid).not.toBe(first?.pid);
  });

  it("fails each time when the server does not listen", async () => {
    const nowhere = new ReadPipeline("postgresql://nobody@127.0.0.1:1/none", 2, ServerWatch.of(test.url, quiet));
    for (let attempt = 0; attempt < 5; attempt += 1)
      await expect(nowhere.query(echo("1"))).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await nowhere.close();
  });

  it("answers reads behind one that could not be prepared like that one", async () => {
    const missing = (id: number) => ({ name: "missing", text: "select from missing where id = $1", values: [id] });
    const answers = await Promise.allSettled(Array.from({ length: 50 }, (_, id) => pipeline.query(missing(id))));
    for (const answer of answers) expect(answer).toMatchObject({ status: "rejected", reason: { code: "42P01" } });

    const admin = new pg.Client({ connectionString: test.url });
    await admin.connect();
    await admin.query("begin; create table locked (id int)");
    await admin.query("commit; begin; lock table locked");
    const waiting = new ReadPipeline(test.url, 1, ServerWatch.of(test.url, quiet));
    const lockedRead = { name: "locked", text: "select from locked where id = $1", values: [1] };
    let isSettled = false;
    const outcomes = Promise.allSettled(Array.from({ length: 50 }, () => waiting.query(lockedRead))).finally(
      () => (isSettled = true),
    );
    while (!isSettled) {
      await admin.query(
        "select pg_cancel_backend(pid) from pg_locks where relation = 'locked'::regclass and not granted",
      );
      await pause(10);
    }
    for (const answer of await outcomes)
      expect(answer).toMatchObject({ status: "rejected", reason: { code: "57014" } });
    await admin.query("commit");
    expect(await Promise.all([waiting.query(lockedRead), waiting.query(lockedRead)])).toEqual([[], []]);
    await admin.query("drop table locked");
    await admin.end();
    await waiting.close();
  });

  it("sends reads again over a new connection when the server has forgotten them, and closes the old one", async () => {
    for (let round = 0; round < 3; round += 1) {
      const before = await echoOf("0");
      await pipeline.query({ name: "", text: "discard all", values: [] });
      const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => echoOf(String(index))));
      expect(answers.map((row) => row?.value)).toEqual(Array.from({ length: 50 }, (_, index) => index));
      expect(answers.map((row) => row?.pid)).not.toContain(before?.pid);
      const admin = new pg.Client({ connectionString: test.url });
      await admin.connect();
      const hasGone = async () =>
        (await admin.query("select from pg_stat_activity where pid = $1", [before?.pid])).rowCount === 0;
      while (!(await hasGone())) await pause(20);
      await admin.end();
    }
  });

  it("runs a transaction again when the server has forgotten its statements", async () => {
    const cause = { trace: continueTrace(undefined) };
    const pids = async (statement: string) =>
      test.database.transaction(aTenant(), cause, async ({ execute }) => {
        const [row] = await execute<{ pid: number }>("select pg_backend_pid() as pid");
        await execute(statement);
        return row?.pid;
      });
    const forgetful = await pids("deallocate all");
    expect(await pids("select")).not.toBe(forgetful);
    const codes = await test.database
      .transaction(aTenant(), cause, async ({ execute }) => {
        const missing = { name: "missing", text: "select from missing where id = $1" };
        const results = await Promise.allSettled([execute(missing, [1]), execute(missing, [2]), execute("select 1")]);
        return Promise.reject(results.map((result) => result.status === "rejected" && result.reason.code));
      })
      .catch((reason: unknown) => reason);
    expect(codes).toEqual(["42P01", "42P01", "42P01"]);
  });

  it("answers running reads before it closes, and refuses later reads", async () => {
    const last = echoOf("3");
    await echoOf("4");
    const closing = pipeline.close();
    expect(await last).toMatchObject({ value: 3 });
    await closing;
    await expect(echoOf("5")).rejects.toThrow("Connection terminated");
  });
});
