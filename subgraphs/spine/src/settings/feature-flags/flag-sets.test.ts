import { Listener } from "@factory/runtime/connections/listener";
import { DatabaseUnavailable } from "@factory/runtime/errors/database-failure";
import { createLogger } from "@factory/runtime/telemetry/logger";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { tenantScopes } from "@factory/schema/scopes";
import pg from "pg";
import { principal, RunningSpine, until } from "../../running-spine.fixture.js";
import { type FlagSetChange, FlagSets } from "./flag-sets.js";

const logger = createLogger("flag-sets-test", "silent");

let platform: RunningSpine;
let database: Database;
let workers: pg.Pool;
let tenantId: string;

beforeAll(async () => {
  platform = await RunningSpine.start();
  database = await platform.openDatabase();
  workers = new pg.Pool({ connectionString: platform.connections.worker, max: 2 });
  tenantId = await platform.activeTenant("acme");
});
afterAll(async () => {
  await workers?.end();
  await database?.close();
  await platform?.stop();
});

async function set(key: string, isEnabled: boolean): Promise<void> {
  const document = `mutation { setFeatureFlag(key: "${key}", input: { enabled: ${isEnabled} }) { version } }`;
  const { errors } = await platform.ask(principal(tenantId, tenantScopes), document);
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
}

/** The flags in another process's memory, with the resources that the test gives to it. */
async function elsewhere(
  resources: { deaf?: boolean; database?: Database; clock?: () => number } = {},
  work: (sets: FlagSets) => Promise<void>,
): Promise<void> {
  const listener = new Listener(platform.connections.worker, logger);
  // a listener that was never started hears nothing
  if (!resources.deaf) await listener.start();
  const sets = new FlagSets({ workers, listener, logger, database: resources.database ?? database, ...resources });
  try {
    await sets.start();
    await work(sets);
  } finally {
    await sets.stop();
    await listener.close();
  }
}

const isKnown = async (sets: FlagSets, key: string) => (await sets.of(tenantId)).find(key)?.textOf(0) !== undefined;

/** A database whose reads fail while `fails` is true. */
function failing(state: { fails: boolean; reads: number }): Database {
  const reader = {
    rows: (...values: Parameters<Database["reader"]["rows"]>) => {
      state.reads += 1;
      if (state.fails) return Promise.reject(new DatabaseUnavailable("Lost", "The database does not answer"));
      return database.reader.rows(...values);
    },
  };
  return { reader } as unknown as Database;
}

describe("FlagSets", () => {
  it("reads the flags of a tenant once, also for many evaluations at the same time", async () => {
    const state = { fails: false, reads: 0 };
    await elsewhere({ database: failing(state) }, async (sets) => {
      const flagSets = await Promise.all(Array.from({ length: 50 }, async () => sets.of(tenantId)));
      expect(new Set(flagSets).size).toBe(1);
      expect(sets.of(tenantId)).toBe(flagSets[0]);
      expect(state.reads).toBe(1);
    });
  });

  it("has a change of another process soon", async () => {
    await elsewhere({}, async (sets) => {
      await sets.of(tenantId);
      const changes: FlagSetChange[] = [];
      const unwatch = sets.watch((change) => changes.push(change));
      const changedAt = Date.now();
      await set("heard", true);
      await until(() => isKnown(sets, "heard"));
      process.stdout.write(`another process had the change after ${Date.now() - changedAt} ms\n`);
      expect(changes.filter((change) => change.tenantId === tenantId)).toHaveLength(1);
      unwatch();
    });
  });

  it("finds a change whose notice was lost", async () => {
    await elsewhere({ deaf: true }, async (sets) => {
      await sets.of(tenantId);
      await set("unheard", true);
      await until(() => isKnown(sets, "unheard"));
    });
  });

  it("answers with the last known flags while the database does not answer, and reads again afterwards", async () => {
    let now = Date.now();
    const state = { fails: false, reads: 0 };
    await elsewhere({ database: failing(state), clock: () => now }, async (sets) => {
      const last = await sets.of(tenantId);
      state.fails = true;
      await set("missed", true);
      await until(async () => state.reads > 1 || (await sets.of(tenantId)) !== last);
      // one read a second is tried, however many evaluations there are
      for (const reads of [2, 3]) {
        for (let count = 0; count < 20; count += 1) expect(await sets.of(tenantId)).toBe(last);
        expect(state.reads).toBe(reads);
        now += 1001;
      }
      state.fails = false;
      await until(() => isKnown(sets, "missed"));
    });
  });

  it("refuses an unknown tenant while the database does not answer", async () => {
    await elsewhere({ database: failing({ fails: true, reads: 0 }) }, async (sets) => {
      await expect(async () => sets.of(tenantId)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    });
  });

  it("trusts the last known flags for a day", async () => {
    let now = Date.now();
    const state = { fails: false, reads: 0 };
    await elsewhere({ database: failing(state), clock: () => now }, async (sets) => {
      await sets.of(tenantId);
      state.fails = true;
      await sets.stop();
      now += 23 * 60 * 60 * 1000;
      expect(await sets.of(tenantId)).toBeDefined();
      now += 2 * 60 * 60 * 1000;
      await expect(async () => sets.of(tenantId)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    });
  });

  it("recovers from a notice of a version that does not exist", async () => {
    const state = { fails: false, reads: 0 };
    await elsewhere({ database: failing(state) }, async (sets) => {
      const { version } = await sets.of(tenantId);
      await platform.admin.query("select pg_notify('spine_feature_flags', $1)", [`${tenantId} 1000000`]);
      await until(async () => state.reads > 1 || (await sets.of(tenantId), false));
      const { reads } = state;
      for (let count = 0; count < 10; count += 1) expect((await sets.of(tenantId)).version).toBe(version);
      expect(state.reads - reads).toBeLessThanOrEqual(2);
    });
  });

  it("knows a tenant without flags", async () => {
    const other = await platform.activeTenant("empty");
    await elsewhere({}, async (sets) => {
      const { flags, version } = await sets.of(other);
      expect([flags, version]).toEqual([[], 0]);
    });
  });
});
