import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chownSync, mkdirSync, mkdtempSync, rmdirSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { databaseRefusal } from "../errors/unavailable.js";
import { continueTrace } from "../telemetry/trace.js";
import { aDatabaseServer, aTenant, noteTable, quiet, type TestDatabase } from "../unit-of-work/database.fixture.js";
import { ServerWatch } from "./server-watch.js";
import { writeStatement } from "./write-probe.js";

const cause = { trace: continueTrace(undefined) };

describe("the probe for writes", () => {
  let test: TestDatabase;
  let admin: pg.Client;
  let watch: ServerWatch;

  beforeAll(async () => {
    test = await aDatabaseServer();
    admin = new pg.Client({ connectionString: test.url });
    await admin.connect();
    await admin.query(`create function disk_full() returns trigger language plpgsql
      as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
    watch = ServerWatch.of(test.url, quiet);
    watch.watchWrites(test.definition.connections.worker, { usual: 200, doubtful: 1000 });
  });
  afterAll(async () => {
    await admin.end();
    await test.close();
  });

  const isFull = (table: string) =>
    admin.query(`create trigger full_disk before insert or update on ${table} execute function disk_full()`);
  const hasRoom = (table: string) => admin.query(`drop trigger full_disk on ${table}`);
  async function until(condition: () => boolean): Promise<void> {
    for (const giveUpAt = Date.now() + 60_000; !condition(); await pause(20))
      if (Date.now() > giveUpAt) throw new Error("Not in time");
  }

  it("notices a full disk without a request, and notices free space again", async () => {
    await isFull("health.writes");
    await until(() => !watch.writes);
    await hasRoom("health.writes");
    await until(() => watch.writes);
  });

  it("reports a full disk as 503 and not as a bug, at once when a request fails", async () => {
    await isFull("catalog.notes");
    const tenant = aTenant();
    const refusal = await test.database
      .transaction(tenant, cause, async ({ em }) => {
        em.persist(em.create(noteTable, { tenantId: tenant.uuid, noteId: randomUUID(), text: "no room" }));
      })
      .catch((error: unknown) => error);
    expect(watch.writes).toBe(false);
    expect(databaseRefusal(refusal)).toMatchObject({ code: "UNAVAILABLE", facts: { retryAfterSeconds: 1 } });
    await hasRoom("catalog.notes");
    await until(() => watch.writes);
  });

  it("takes a new connection when the server process of its own has stopped", async () => {
    const ofProbe = "select pid from pg_stat_activity where query like 'insert into health.writes%' and pid <> all($1)";
    const probes = async (except: number[]) =>
      (await admin.query<{ pid: number }>(ofProbe, [except])).rows.map(({ pid }) => pid);
    const stoppedPids = await probes([]);
    expect(stoppedPids).not.toEqual([]);
    for (const pid of stoppedPids) process.kill(pid, "SIGSTOP");
    try {
      for (const giveUpAt = Date.now() + 60_000; (await probes(stoppedPids)).length === 0; await pause(100))
        if (Date.now() > giveUpAt) throw new Error("Not in time");
    } finally {
      for (const pid of stoppedPids) process.kill(pid, "SIGCONT");
    }
    expect(watch.writes).toBe(true);
  });

  it("needs new blocks of the disk, because an overwritten row would not", async () => {
    await admin.query("set work_mem = '64kB'");
    const explanation = await admin.query(`explain (analyze, format json) ${writeStatement}`);
    expect(JSON.stringify(explanation.rows[0]["QUERY PLAN"])).toMatch(/"Temp Written Blocks":[1-9]/);
  });

  const small = mountedDisk();
  (small === undefined ? it.skip : it)(
    "reports a real full disk as 503 and not ready, and ready again when there is space (needs the right to mount)",
    async () => {
      const disk = small ?? "";
      try {
        await admin.query(`create tablespace small location '${disk}/space'`);
        await admin.query("grant create on tablespace small to suites_platform_worker");
        await admin.query("alter role suites_catalog_worker set temp_tablespaces = small");
        await admin.query("alter table catalog.notes set tablespace small");
        // roles have their settings from when they connect
        await admin.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'suites_catalog_worker'",
        );
        await fill(disk);
        await until(() => !watch.writes);
        const tenant = aTenant();
        const refusal = await test.database
          .transaction(tenant, cause, async ({ execute }) => {
            await execute(
              "insert into notes select $1, gen_random_uuid(), repeat(md5(number::text), 50) from generate_series(1, 1000) as number",
              [tenant.uuid],
            );
          })
          .catch((error: unknown) => error);
        expect(databaseRefusal(refusal)?.facts.detail).toMatch(/disk of the database is full/);
        await rm(join(disk, "filler"));
        await until(() => watch.writes);
      } finally {
        await admin.query("alter table catalog.notes set tablespace pg_default");
        await admin.query("alter role suites_catalog_worker reset temp_tablespaces");
        // MNT_DETACH: the server may still have a file open
        execFileSync("/bin/umount", ["-l", disk]);
        rmdirSync(disk);
      }
    },
  );
});

/** A 2 MiB disk that PostgreSQL may write to; undefined where nothing may be mounted. */
function mountedDisk(): string | undefined {
  const disk = mkdtempSync(join(tmpdir(), "factory-small-disk-"));
  try {
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=2m,mode=755", "tmpfs", disk], { stdio: "ignore" });
  } catch {
    rmdirSync(disk);
    return undefined;
  }
  mkdirSync(join(disk, "space"));
  // Mounting needs root, and root's PostgreSQL runs as nobody.
  chownSync(join(disk, "space"), 65_534, 65_534);
  return disk;
}

async function fill(disk: string): Promise<void> {
  const file = await open(join(disk, "filler"), "w");
  const block = Buffer.alloc(4096);
  try {
    for (;;) await file.write(block);
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
  } finally {
    await file.close();
  }
}
