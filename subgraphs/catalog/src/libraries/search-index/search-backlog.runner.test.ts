import { openPool } from "@factory/runtime/connections/pool";
import { createLogger } from "@factory/runtime/telemetry/logger";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { ormOptions } from "@factory/runtime/unit-of-work/database";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import { MikroORM } from "@mikro-orm/postgresql";
import { aCaller, aLibrarySearch, type LibrarySearchFixture } from "../library-search/library-search.fixture.js";
import type { SearchLibrariesInput } from "../library-search/library-search.input.js";
import { SearchBacklogRunner } from "./search-backlog.runner.js";

const logger = createLogger("test", "silent");
const indexTables = ["search_entries", "search_postings", "search_words", "search_frameworks"];
const lastBefore = "Migration20261121112849_search_listing";

let fixture: LibrarySearchFixture;
let admin: ReturnType<typeof openPool>;

beforeAll(async () => {
  fixture = await aLibrarySearch();
  admin = openPool(`${fixture.url}?options=-c%20search_path%3Dcatalog`, 2, logger);
});

afterAll(async () => {
  await admin.end();
  await fixture.close();
});

const runner = (batchSize = 3) =>
  new SearchBacklogRunner({
    database: fixture.database,
    workerUrl: fixture.connections.worker,
    logger,
    batchSize,
    retryMs: 50,
  });

async function aCatalog(word: string): Promise<RequestContext> {
  const caller = aCaller();
  for (let place = 0; place < 8; place += 1)
    await fixture.register(caller, {
      packageName: `${word}.${place}`,
      area: place % 2 ? "Odd" : null,
      tags: ["Mine", word],
      capabilities: [{ name: `${word}Orders.place${place}`, contract: "IOrders/v1" }, { name: "shared.thing" }],
      versions: place < 5 ? [{ semanticVersion: "1.0.0", targetFrameworks: [place < 2 ? "net48" : "net8.0"] }] : [],
    });
  return caller;
}

const searches: SearchLibrariesInput[] = [
  {},
  { capability: "v1" },
  { capability: "shared.thing" },
  { capability: "shared.thnig" },
  { capability: "ord", targetFramework: "net48" },
  { area: "odd", tags: ["mine"] },
  { capability: "place4" },
];

async function answers(...callers: RequestContext[]): Promise<string> {
  const all = callers.flatMap((caller) => searches.map((input) => fixture.search(caller, input)));
  return JSON.stringify(await Promise.all(all));
}

async function indexRows(): Promise<string[]> {
  const counts = indexTables.map(async (table) => {
    const { rows } = await admin.query(
      `select md5(string_agg(t::text, ';' order by t::text)) as digest from ${table} t`,
    );
    return rows[0].digest;
  });
  return Promise.all(counts);
}

/** As a database was before search knew libraries, or most of them; then its schema is brought up to date. */
async function upgradeFromBefore(forgotten = "true"): Promise<void> {
  const orm = await MikroORM.init(ormOptions(fixture.definition, fixture.connections.owner));
  await orm.migrator.down({ to: lastBefore });
  await orm.close(true);
  for (const table of indexTables.map((name) => (name === "search_postings" ? "search_terms" : name)))
    if (forgotten === "true" || ["search_entries", "search_terms"].includes(table))
      await admin.query(`delete from ${table} where ${forgotten}`);
  await migrate(fixture.definition);
}

const backlog = async () => (await admin.query("select tenant_id from search_backlog order by 1")).rows.length;

describe("libraries that were registered before search knew of them", () => {
  it("are entered once, for each tenant its own, and found as if they had been entered at once", async () => {
    const [ours, theirs] = [await aCatalog("alpha"), await aCatalog("beta")];
    const [before, rows] = [await answers(ours, theirs), await indexRows()];
    await upgradeFromBefore();
    expect(await backlog()).toBe(2);
    expect((await fixture.search(ours, {})).total).toBe(0);
    expect(await runner().start()).toBe(16);
    expect(await answers(ours, theirs)).toBe(before);
    expect(await indexRows()).toEqual(rows);
    expect(await backlog()).toBe(0);
    expect(await runner().start()).toBe(0);
    expect(await indexRows()).toEqual(rows);
  });

  it("are entered beside those that search knows, whose postings the upgrade keeps", async () => {
    const caller = await aCatalog("gamma");
    const [before, rows] = [await answers(caller), await indexRows()];
    const { results } = await fixture.search(caller, { capability: "place4" });
    const unindexedFilter = `tenant_id = '${tenantOf(caller).uuid}' and entry_id not in (
      select library_id from libraries where package_name in ('gamma.1', 'gamma.4', 'gamma.7'))`;
    await upgradeFromBefore(unindexedFilter);
    expect((await fixture.search(caller, {})).total).toBe(3);
    expect((await fixture.search(caller, { capability: "place4" })).results).toEqual(results);
    expect(await runner().start()).toBe(5);
    expect(await answers(caller)).toBe(before);
    expect(await indexRows()).toEqual(rows);
  });

  it("are all entered in the end, though the work was stopped and its connection lost", async () => {
    const caller = await aCatalog("delta");
    const before = await answers(caller);
    await upgradeFromBefore();
    const { rows } = await admin.query("select library_id from libraries where package_name = 'delta.4'");
    const holder = await admin.connect();
    await holder.query("begin");
    await holder.query("select from libraries where library_id = $1 for update", [rows[0].library_id]);
    const first = runner();
    const firstRun = first.start();
    await eventually(async () => (await waiting()).length > 0);
    const firstStop = first.stop();
    for (const pid of await waiting()) await admin.query("select pg_terminate_backend($1)", [pid]);
    await holder.query("rollback");
    holder.release();
    await Promise.all([firstRun, firstStop]);
    expect((await fixture.search(caller, {})).total).toBeLessThan(8);
    expect(await backlog()).toBeGreaterThan(0);
    await Promise.all([runner().start(), runner(2).start()]);
    expect(await answers(caller)).toBe(before);
    expect(await backlog()).toBe(0);
  });

  it("take the versions that are registered meanwhile", async () => {
    const caller = await aCatalog("epsilon");
    const { results } = await fixture.search(caller, { capability: "place6" });
    const libraryId = results[0]?.libraryId ?? "";
    await upgradeFromBefore();
    // somebody learns the same word, which holds the entering up between its entry and its commit
    const holder = await admin.connect();
    await holder.query("begin");
    await holder.query("insert into search_words values ($1, 'place6', 'place6')", [tenantOf(caller).uuid]);
    const entering = runner().start();
    await eventually(async () => (await waiting()).length === 1);
    const registering = fixture.versions.register(caller, libraryId, { semanticVersion: "7.0.0" });
    await eventually(async () => (await waiting()).length === 2);
    await holder.query("rollback");
    holder.release();
    await Promise.all([entering, registering]);
    const page = await fixture.search(caller, { capability: "place6" });
    expect(page.results).toEqual([expect.objectContaining({ libraryId, latestVersion: "7.0.0" })]);
    expect((await fixture.search(caller, {})).results.findIndex((result) => result.libraryId === libraryId)).toBe(5);
  });
});

async function waiting(): Promise<number[]> {
  const { rows } = await admin.query(
    "select pid from pg_stat_activity where datname = current_database() and usename = 'suites_catalog_app' and wait_event_type = 'Lock'",
  );
  return rows.map(({ pid }) => pid);
}

async function eventually(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 180_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("it did not happen in time");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
