import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { openPool } from "../connections/pool.js";
import { schemaConnections } from "../connections/schema-connections.js";
import { EnvironmentError } from "../environment/read-environment.js";
import { eventually } from "../faults/eventually.fixture.js";
import { keepingLogger } from "../telemetry/logged-lines.fixture.js";
import { createLogger } from "../telemetry/logger.js";
import { aSuiteDatabase, type SuiteDatabase } from "../unit-of-work/suite-database.fixture.js";
import { suiteRoles } from "../unit-of-work/suite-roles.fixture.js";
import { provisionDatabase } from "./provision-database.js";
import { Registration } from "./release-processes.js";
import { thisRelease } from "./schema-level.js";

const quiet = createLogger("test", "silent");
const current = thisRelease.level;
const publicUrl = "https://factory.example";
const release = (level: number, lowestCompanion = 0) => ({ level, lowestCompanion });

describe("the level of the data", () => {
  let database: SuiteDatabase;
  let admin: Client;
  const lines: string[] = [];
  const logger = keepingLogger(lines);

  beforeEach(async () => {
    database = await aSuiteDatabase("provisioned");
    admin = new Client({ connectionString: database.url });
    await admin.connect();
    lines.length = 0;
  });
  afterEach(async () => {
    await admin.end();
    await database.close();
  });

  const levels = async () => (await admin.query("select level, lowest_level from releases.data")).rows;
  const start = (of: { level: number; lowestCompanion: number }, processId = randomUUID(), former: string[] = []) =>
    provisionDatabase(database.url, ["catalog"], {
      ...suiteRoles,
      start: { processId, publicUrl, former: former.map((ended) => ({ processId: ended })), logger },
      release: of,
    });
  /** The processes for which a start waits, as its line names them. */
  const awaited = async () => {
    await eventually("a start says that it waits", () => lines.length > 0);
    const { msg, processes } = JSON.parse(lines[0] ?? "") as { msg: string; processes: unknown };
    expect(msg).toContain("the start waits until");
    return processes;
  };

  it("is that of the newest release that has started on them", async () => {
    expect(await levels()).toEqual([{ level: current, lowest_level: thisRelease.lowestCompanion }]);
    await start(release(current + 2, current + 1));
    expect(await levels()).toEqual([{ level: current + 2, lowest_level: current + 1 }]);
  });

  it("lets the release before it start beside it, and is not lowered by that", async () => {
    await start(release(current + 2, current + 1));
    await start(release(current + 1, current));
    expect(await levels()).toEqual([{ level: current + 2, lowest_level: current + 1 }]);
  });

  it("refuses a release that is too old, which has written nothing", async () => {
    await start(release(current + 2, current + 1));
    const refused = start(release(current));
    await expect(refused).rejects.toThrow(EnvironmentError);
    await expect(refused).rejects.toThrow(
      `schema level ${current + 2} and need a release of level ${current + 1} or newer. This release has level ${current}:`,
    );
    expect((await admin.query("select from releases.processes where level = $1", [current])).rowCount).toBe(0);
  });

  it("is not raised while a process lives beside which the release cannot run, which a line says", async () => {
    const older = randomUUID();
    await start(release(current), older);
    const starting = start(release(current + 1, current + 1));
    expect(await awaited()).toEqual([{ processId: older, level: current }]);
    expect(await levels()).toEqual([{ level: current, lowest_level: 0 }]);
    // the older release may still start, and is waited for too
    await start(release(current));
    await admin.query("update releases.processes set beat_at = now() - interval '31 s'");
    await starting;
    expect(await levels()).toEqual([{ level: current + 1, lowest_level: current + 1 }]);
  });

  it("is not raised while a process lives whose release knew no levels", async () => {
    await admin.query(
      "create table catalog_jobs.job_processes (process_id uuid primary key, beat_at timestamptz default now())",
    );
    const older = randomUUID();
    await admin.query("insert into catalog_jobs.job_processes values ($1)", [older]);
    const starting = start(release(current + 1, 1));
    expect(await awaited()).toEqual([{ processId: older, level: 0 }]);
    expect(await levels()).toEqual([{ level: current, lowest_level: 0 }]);
    await admin.query("delete from catalog_jobs.job_processes");
    await starting;
  });

  it("is raised at once when the older process ran in the same data directory", async () => {
    const older = randomUUID();
    await start(release(current), older);
    await start(release(current + 1, current + 1), randomUUID(), [older]);
    expect(lines).toEqual([]);
    expect((await admin.query("select from releases.processes where process_id = $1", [older])).rowCount).toBe(0);
  });

  it("tells a process that was away when the level was raised", async () => {
    const processId = randomUUID();
    await start(release(current), processId);
    const pool = openPool(schemaConnections(database.access, "catalog").worker, 1, quiet);
    const registration = new Registration(pool, { processId, publicUrl }, quiet, release(current));
    await admin.query("update releases.processes set beat_at = now() - interval '20 s'");
    await registration.beat();
    const beaten = "select from releases.processes where beat_at > now() - interval '10 s'";
    expect((await admin.query(beaten)).rowCount).toBe(1);
    await admin.query("update releases.data set level = $1, lowest_level = $1", [current + 1]);
    await registration.beat();
    expect(await registration.shutOut).toContain(
      `level ${current + 1} or newer, and this release has level ${current}`,
    );
    await registration.close();
    await eventually(
      "its row is gone",
      async () => (await admin.query("select from releases.processes")).rowCount === 0,
    );
    await pool.end();
  });

  describe("with the address of another process", () => {
    const from = (address: string, processId = randomUUID(), former: { processId: string }[] = []) =>
      provisionDatabase(database.url, ["catalog"], {
        ...suiteRoles,
        start: { processId, publicUrl: address, former, logger },
      });
    const other = "https://other.example";

    it("is the end of a start, which has written nothing", async () => {
      await from(publicUrl);
      await from(publicUrl);
      const refused = from(other);
      await expect(refused).rejects.toThrow(EnvironmentError);
      await expect(refused).rejects.toThrow(`PUBLIC_URL is ${other} here and ${publicUrl} in another process`);
      expect((await admin.query("select from releases.processes where public_url = $1", [other])).rowCount).toBe(0);
    });

    it("is taken when that process ran in the same data directory, is dead, or is of an earlier release", async () => {
      const [former, dead, earlier] = [randomUUID(), randomUUID(), randomUUID()];
      for (const processId of [former, dead, earlier]) await from(publicUrl, processId);
      // a server that has just started counts each process as living
      await admin.query("delete from releases.processes where process_id = $1", [dead]);
      await admin.query("update releases.processes set public_url = null where process_id = $1", [earlier]);
      await from(other, randomUUID(), [{ processId: former }]);
      expect(lines).toEqual([]);
    });
  });
});
