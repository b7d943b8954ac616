import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { tenantStatement } from "../db/tenant-statement.js";
import { databaseRefusal } from "../errors/unavailable.js";
import { freezeServer } from "../postgres/frozen-server.fixture.js";
import { continueTrace } from "../telemetry/trace.js";
import { aDatabaseServer, aTenant, noteTable, quiet, type TestDatabase } from "../unit-of-work/database.fixture.js";
import { Listener } from "./listener.js";
import { openPool } from "./pool.js";
import { ServerWatch } from "./server-watch.js";

const cause = { trace: continueTrace(undefined) };
const slowly = tenantStatement("slowly", "select pg_sleep(0.05), pg_backend_pid() as pid, scope.tenant");

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const giveUpAt = Date.now() + 60_000; !(await condition()); await pause(20))
    if (Date.now() > giveUpAt) throw new Error("Not in time");
}

describe("a server that stops answering", () => {
  let test: TestDatabase;
  let watch: ServerWatch;
  let thaw: () => void = () => undefined;

  beforeAll(async () => {
    test = await aDatabaseServer();
    watch = ServerWatch.of(test.definition.connections.app, quiet);
  });
  afterEach(async () => {
    thaw();
    await until(() => watch.answers && watch.refusal === undefined);
  });
  afterAll(() => test.close());

  const pidIn = (tenant = aTenant()) =>
    test.database.transaction(tenant, cause, async ({ execute }) => {
      const [row] = await execute<{ pid: number }>("select pg_backend_pid() as pid, pg_sleep(0.02)");
      return row?.pid ?? 0;
    });
  /** The listener's newest connection. */
  const pidOfListener = async () => {
    const admin = new pg.Client({ connectionString: test.url });
    await admin.connect();
    const { rows } = await admin.query<{ pid: number }>(
      "select pid from pg_stat_activity where application_name = 'listens' order by backend_start desc limit 1",
    );
    await admin.end();
    return rows[0]?.pid ?? 0;
  };
  const detailOf = (error: unknown) => databaseRefusal(error)?.facts.detail;
  const answersAgain = () =>
    until(() =>
      pidIn().then(
        () => true,
        () => false,
      ),
    );

  it("a frozen server does not keep requests waiting, and everything continues afterwards", async () => {
    const pids = new Set<number>();
    const errors: unknown[] = [];
    const note = (error: unknown) => void errors.push(error);
    const holding = Array.from({ length: 10 }, () =>
      test.database
        .transaction(aTenant(), cause, async ({ execute }) => {
          const [row] = await execute<{ pid: number }>("select pg_backend_pid() as pid");
          pids.add(row?.pid ?? 0);
          await until(() => pids.size === 10);
          thaw = freezeServer(test.pid);
          await execute("select");
        })
        .catch(note),
    );
    await until(() => pids.size === 10);
    const crowd = Array.from({ length: 50 }, (_, at) =>
      (at % 2 ? pidIn() : test.database.reader.row(slowly, aTenant())).catch(note),
    );
    await Promise.all([...holding, ...crowd]);
    expect(errors).toHaveLength(60);
    // A request that waited for a free connection may have been refused for that reason before.
    for (const error of errors) expect(detailOf(error)).toMatch(/does not answer|no free connection/);
    await until(() => watch.refusal !== undefined);

    const pool = openPool(test.definition.connections.app, 2, quiet);
    const results = await Promise.allSettled([
      ...Array.from({ length: 100 }, () => pidIn()),
      test.database.reader.rows(slowly, aTenant()),
      test.database.reader.row(slowly, aTenant()),
      pool.query("select"),
    ]);
    expect(results.every(({ status }) => status === "rejected")).toBe(true);
    expect([pool.totalCount, pool.waitingCount]).toEqual([0, 0]);

    thaw();
    await answersAgain();
    await pool.query("select");
    await pool.end();
    const later = await Promise.all(Array.from({ length: 30 }, () => pidIn()));
    expect(later.filter((pid) => pids.has(pid))).toEqual([]);
    expect(watch.answers).toBe(true);
  });

  it("a frozen server leaves the outcome of a commit unknown, and the error says so", async () => {
    const tenant = aTenant();
    const outcome = await test.database
      .transaction(tenant, cause, async ({ em, execute }) => {
        await execute("select");
        em.persist(em.create(noteTable, { tenantId: tenant.uuid, noteId: randomUUID(), text: "perhaps" }));
        await em.flush();
        thaw = freezeServer(test.pid);
      })
      .catch(detailOf);
    expect(outcome).toMatch(/outcome is unknown.*same Idempotency-Key/);
    thaw();
    await answersAgain();
  });

  it("a stall of the own event loop does not count as a frozen server", async () => {
    let abandonCount = 0;
    const leave = watch.join({ abandon: () => (abandonCount += 1), sweep: () => undefined });
    for (let round = 0; round < 2; round += 1) {
      const running = [pidIn(), test.database.reader.row(slowly, aTenant()), pidIn()];
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
      await Promise.all(running);
      await pause(600);
    }
    leave();
    expect([abandonCount, watch.answers]).toEqual([0, true]);
  });

  it("a long statement is not ended while the server answers", async () => {
    const tenant = aTenant();
    const slept = test.database.transaction(tenant, cause, ({ execute }) => execute("select pg_sleep(3.5)"));
    await expect(slept).resolves.toHaveLength(1);
  });

  it("a listener gets notifications again after the server was frozen", async () => {
    const listener = new Listener(test.definition.connections.worker, quiet);
    await listener.start();
    let heard = 0;
    await listener.on("frozen_test", () => (heard += 1));
    thaw = freezeServer(test.pid);
    await until(() => watch.refusal !== undefined);
    thaw();
    await answersAgain();
    await test.database.transaction(aTenant(), cause, ({ execute }) => execute("notify frozen_test"));
    await until(() => heard > 0);
    await listener.close();
  });

  it("a listener gets notifications again after only its own connection went silent", async () => {
    const url = new URL(test.definition.connections.worker);
    url.searchParams.set("application_name", "listens");
    const listener = new Listener(url.href, quiet, 200);
    await listener.start();
    let heard = 0;
    await listener.on("silent_test", () => (heard += 1));
    const pid = await pidOfListener();
    process.kill(pid, "SIGSTOP");
    thaw = () => process.kill(pid, "SIGCONT");
    await until(async () => (await pidOfListener()) !== pid);
    await test.database.transaction(aTenant(), cause, ({ execute }) => execute("notify silent_test"));
    await until(() => heard > 0);
    await listener.close();
  });

  it("the log says how long the server did not answer", async () => {
    let silent = false;
    void watch.silentFor(1500).then(() => {
      silent = true;
    });
    await pause(2000);
    expect(silent).toBe(false);
    thaw = freezeServer(test.pid);
    await until(() => silent);
    thaw();
    await answersAgain();
  });
});
