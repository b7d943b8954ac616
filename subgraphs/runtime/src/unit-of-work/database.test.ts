import { randomUUID } from "node:crypto";
import { RowLevelSecurityViolationException } from "@mikro-orm/core";
import pg from "pg";
import { keyStatement } from "../db/key-statement.js";
import { tenantStatement } from "../db/tenant-statement.js";
import { continueTrace } from "../telemetry/trace.js";
import type { Tenant } from "../tenancy/tenant.js";
import { aDatabase, aTenant, noteTable, quiet, type TestDatabase, until } from "./database.fixture.js";
import { Database } from "./database.js";

const cause = { trace: continueTrace(undefined) };
const allNotes = tenantStatement("all_notes", "select text from notes where tenant_id = scope.tenant");
/** Forgets the tenant in its condition: only row-level security stands between the tenants. */
const careless = tenantStatement("careless_notes", "select text from notes, (select scope.tenant) as asked");

describe("Database", () => {
  let test: TestDatabase;

  beforeAll(async () => {
    test = await aDatabase();
  });
  afterAll(() => test.close());

  const write = (tenant = aTenant(), text = "note") =>
    test.database.transaction(tenant, cause, async ({ em }) => {
      em.persist(em.create(noteTable, { tenantId: tenant.uuid, noteId: randomUUID(), text }));
      return tenant;
    });

  it("shows a tenant its own rows and no others", async () => {
    const mine = await write(undefined, "mine");
    await write(undefined, "yours");
    expect(await test.database.reader.rows(allNotes, mine)).toEqual([{ text: "mine" }]);
    const seen = await test.database.transaction(mine, cause, ({ em }) => em.find(noteTable, {}));
    expect(seen.map(({ text }) => text)).toEqual(["mine"]);
  });

  it("sends equal reads of one turn of the event loop once, and others each for itself", async () => {
    const drawn = tenantStatement("drawn", "select scope.tenant, $2::int as given, random() as number");
    const { reader } = test.database;
    const [mine, other] = [aTenant(), aTenant()];
    const all = [reader.row(drawn, mine, 1), reader.row(drawn, mine, 1), reader.row(drawn, mine, 2)];
    const [first, same, ...different] = await Promise.all([...all, reader.row(drawn, other, 1)]);
    expect(same).toEqual(first);
    expect(different).toMatchObject([
      { tenant: mine.uuid, given: 2 },
      { tenant: other.uuid, given: 1 },
    ]);
    expect(await reader.row(drawn, mine, 1)).not.toEqual(first);
  });

  it("sends reads by a key that are asked for together as one statement for each tenant", async () => {
    const select = `select tenant_id, note_id, pg_current_xact_id()::text as transaction
      from notes where tenant_id = scope.tenant and note_id = $2`;
    const noteById = keyStatement("note_by_id", select);
    const mine = aTenant();
    const noteIds = [...Array(3)].map(() => randomUUID());
    for (const noteId of noteIds)
      await test.database.transaction(mine, cause, async ({ em }) => {
        em.persist(em.create(noteTable, { tenantId: mine.uuid, noteId, text: "kept" }));
      });
    const [first = "", second = "", third = ""] = noteIds;
    const read = (tenant: Tenant, noteId: string) => test.database.reader.row(noteById, tenant, noteId);
    const keys = [third, first, randomUUID(), third, second];
    const [strangers, ...rows] = await Promise.all([read(aTenant(), first), ...keys.map((key) => read(mine, key))]);
    expect(strangers).toBeUndefined();
    expect(rows.map((row) => row?.["note_id"])).toEqual([third, first, undefined, third, second]);
    expect(new Set(rows.flatMap((row) => row?.["transaction"] ?? [])).size).toBe(1);
    expect(Object.keys(rows[0] ?? {})).toEqual(["tenant_id", "note_id", "transaction"]);
    expect(await read(mine, second)).toMatchObject({ note_id: second });
  });

  it("reads more keys than one statement takes", async () => {
    const echoed = keyStatement(
      "echoed",
      "select $2::text as key, $3::uuid as id from (select scope.tenant) own",
      "text",
      "uuid",
    );
    const keys = Array.from({ length: 450 }, (_, place) => [`key ${place}`, randomUUID()] as const);
    const tenant = aTenant();
    const rows = await Promise.all(keys.map(([key, id]) => test.database.reader.row(echoed, tenant, key, id)));
    expect(rows).toEqual(keys.map(([key, id]) => ({ key, id })));
  });

  it("holds even where a statement forgets the tenant", async () => {
    const mine = await write(undefined, "careful");
    expect(await test.database.reader.rows(careless, mine)).toEqual([{ text: "careful" }]);
  });

  it("refuses a row of another tenant", async () => {
    const stranger = aTenant();
    const foreign = test.database.transaction(aTenant(), cause, async ({ em }) => {
      em.persist(em.create(noteTable, { tenantId: stranger.uuid, noteId: randomUUID(), text: "foreign" }));
    });
    await expect(foreign).rejects.toThrow(RowLevelSecurityViolationException);
  });

  it("sets the tenant before the table is opened, and leaves the connection clean", async () => {
    const mine = await write(undefined, "planned");
    const client = new pg.Client({ connectionString: test.definition.connections.app });
    await client.connect();
    const explained = await client.query(`explain (format json) ${allNotes.text.replace("$1", `'${mine.uuid}'`)}`);
    const plan = JSON.stringify(explained.rows[0]["QUERY PLAN"]);
    // the outer side of the join evaluates set_config; the table is scanned on the inner side
    expect(plan).toMatch(/"Nested Loop".*"Outer"[^]*"Inner".*"notes"/);
    await client.query(allNotes.text, [mine.uuid]);
    expect((await client.query("select current_setting('app.tenant', true) as left")).rows).toEqual([{ left: "" }]);
    expect((await client.query("select * from notes")).rows).toEqual([]);
    await client.end();
  });

  it("crosses no tenants over one connection under 2,000 alternating reads", async () => {
    const [one, other] = [await write(undefined, "one"), await write(undefined, "other")];
    const reads = Array.from({ length: 2000 }, (_, index) =>
      test.database.reader.row<{ text: string }>(careless, index % 2 ? one : other),
    );
    const texts = (await Promise.all(reads)).map((row) => row?.text);
    expect(texts.every((text, index) => text === (index % 2 ? "one" : "other"))).toBe(true);
  });

  it("ends a read whose caller has gone, with its statement, and leaves the reads of others alone", async () => {
    const slow = tenantStatement("slow", "select 1 as one from pg_sleep(14) where scope.tenant is not null");
    const short = tenantStatement("short", "select 1 as one from pg_sleep(1) where scope.tenant is not null");
    const admin = new pg.Client({ connectionString: test.url });
    await admin.connect();
    const sleepers = async () => {
      const { rows } = await admin.query(
        "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep' and query like '%pg_sleep(14)%'",
      );
      return rows.length;
    };
    const caller = { aborted: false };
    const abandoned = test.database.reader.rows(slow, { ...aTenant(), caller });
    const refused = expect(abandoned).rejects.toMatchObject({ code: "REQUEST_TIMEOUT" });
    const waitedFor = test.database.reader.rows(short, { ...aTenant(), caller: { aborted: false } });
    await until(async () => (await sleepers()) === 1);
    caller.aborted = true;
    await refused;
    expect(await waitedFor).toEqual([{ one: 1 }]);
    const seen = performance.now();
    await until(async () => (await sleepers()) === 0);
    // its own end would have come much later
    expect(performance.now() - seen).toBeLessThan(12_000);
    await admin.end();
  });

  it("tells who listens once what a transaction wrote can be read, and not of what was rolled back", async () => {
    const heard: string[] = [];
    const client = new pg.Client({ connectionString: test.url });
    client.on("notification", ({ payload = "" }) => heard.push(payload));
    await client.connect();
    await client.query("listen told");
    const told = (text: string, fail: boolean) =>
      test.database.transaction(aTenant(), cause, async ({ notify }) => {
        notify("told", text);
        if (fail) throw new Error("no");
      });
    await expect(told("never", true)).rejects.toThrow("no");
    await told("committed", false);
    await until(() => heard.length > 0);
    expect(heard).toEqual(["committed"]);
    await client.end();
  });

  it("writes events with the rows, in the order in which they were recorded, or not at all", async () => {
    const tenant = aTenant();
    const record = (text: string, fail: boolean) =>
      test.database.transaction(tenant, cause, async ({ em, record: write }) => {
        em.persist(em.create(noteTable, { tenantId: tenant.uuid, noteId: randomUUID(), text }));
        write({ type: "TemplateRegistered", subject: `templates/${text}1`, data: {} });
        write({ type: "TemplateRegistered", subject: `templates/${text}2`, data: {} });
        if (fail) throw new Error("rolled back");
      });
    await record("kept", false);
    await expect(record("lost", true)).rejects.toThrow("rolled back");
    const subjects = await test.database.transaction(tenant, cause, ({ execute }) =>
      execute("select envelope->>'subject' as subject from outbox order by seq"),
    );
    expect(subjects).toEqual([{ subject: "templates/kept1" }, { subject: "templates/kept2" }]);
  });

  it("wakes the relay once what it wrote can be read, and only then", async () => {
    const found: Promise<unknown>[] = [];
    const wake = () => {
      found.push(test.database.transaction(tenant, cause, ({ execute }) => execute("select id from outbox")));
    };
    const tenant = aTenant();
    const relayed = await Database.open(test.definition, quiet, { wake });
    const event = { type: "TemplateRegistered", subject: "templates/one", data: {} } as const;
    await relayed.transaction(tenant, cause, async ({ record }) => void record(event));
    const refused = relayed.transaction(tenant, cause, async ({ record }) => {
      record(event);
      throw new Error("refused");
    });
    await expect(refused).rejects.toThrow("refused");
    await relayed.transaction(tenant, cause, async () => undefined);
    expect((await Promise.all(found)).map((rows) => (rows as unknown[]).length)).toEqual([1]);
    await relayed.close();
  });

  it("has no connection left once it is closed, though nothing was written", async () => {
    const unused = await Database.open(test.definition, quiet);
    const read = () => unused.reader.rows(tenantStatement("one", "select where scope.tenant is not null"), aTenant());
    expect(await read()).toHaveLength(1);
    await unused.close();
    await expect(read()).rejects.toThrow();
  });

  it("keeps all its connections when the server ends them in the middle of transactions", async () => {
    const admin = new pg.Client({ connectionString: test.url });
    await admin.connect();
    for (let round = 0; round < 12; round += 1) {
      const ended = admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = 'suites_catalog_app'",
      );
      const attempts = Array.from({ length: 4 }, () => write());
      await Promise.allSettled([ended, ...attempts]);
    }
    await admin.end();
    const allAtOnce = () => Promise.all(Array.from({ length: 10 }, () => write()));
    await until(() =>
      allAtOnce().then(
        () => true,
        () => false,
      ),
    );
  });

  it("gives the application role no way around the policies", async () => {
    const client = new pg.Client({ connectionString: test.definition.connections.app });
    await client.connect();
    for (const attempt of [
      "alter table notes disable row level security",
      "set role suites_catalog_owner",
      "create table mine (id int)",
      "select * from bus.messages",
    ])
      await expect(client.query(attempt)).rejects.toThrow(/permission denied|must be owner/);
    await client.end();
  });
});
