import pg from "pg";
import { continueTrace } from "../telemetry/trace.js";
import { aDatabase, aTenant, quiet, type TestDatabase } from "../unit-of-work/database.fixture.js";
import { Retention, type RetentionRule } from "./retention.js";

const cause = { trace: continueTrace(undefined) };

describe("Retention", () => {
  let test: TestDatabase;
  let admin: pg.Client;

  beforeAll(async () => {
    test = await aDatabase();
    admin = new pg.Client({ connectionString: test.url });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await test.close();
  });

  /** A table that counts the rows that each statement deletes from it. */
  const aTable = async (name: string): Promise<RetentionRule> => {
    await admin.query(`
      create table bus.${name} (id bigint primary key, expires_at timestamptz not null);
      create table bus.${name}_batches (id bigint generated always as identity, deleted int not null);
      grant select, insert, update, delete on bus.${name}, bus.${name}_batches to suites_platform_worker;
      create function bus.${name}_count() returns trigger language plpgsql as $$ begin
        insert into bus.${name}_batches (deleted) select count(*) from gone; return null; end $$;
      create trigger count after delete on bus.${name} referencing old table as gone
        for each statement execute function bus.${name}_count();`);
    return { table: `bus.${name}`, expired: "expires_at < now()", order: "expires_at" };
  };
  const fill = (name: string, count: number, expires = "now() - interval '1 day'") =>
    admin.query(`insert into bus.${name}
      select coalesce((select max(id) from bus.${name}), 0) + n, ${expires} from generate_series(1, ${count}) n`);
  const count = async (name: string) =>
    Number((await admin.query<{ count: string }>(`select count(*) from bus.${name}`)).rows[0]?.count);
  const batches = async (name: string) =>
    (await admin.query<{ deleted: number }>(`select deleted from bus.${name}_batches order by id`)).rows.map(
      ({ deleted }) => deleted,
    );
  const retention = (...rules: RetentionRule[]) => new Retention(test.definition.connections.worker, quiet, rules);

  it("deletes published events after a week and stored results after a day", async () => {
    const tenant = aTenant();
    await test.database.transaction(tenant, cause, async ({ execute }) => {
      await execute(
        `insert into outbox (id, tenant_id, type, envelope, published_at)
         select gen_random_uuid(), $1, 'T', '{}', now() - age from unnest(array['8 days', '6 days']::interval[]) as age`,
        [tenant.uuid],
      );
      await execute(
        `insert into idempotency_records (tenant_id, principal, field, key, fingerprint, created_at)
         select $1, 'p', 'f', age::text, 'x', now() - age from unnest(array['25 hours', '23 hours']::interval[]) as age`,
        [tenant.uuid],
      );
    });
    const ofEverySchema = new Retention(test.definition.connections.worker, quiet);
    expect(await ofEverySchema.forget()).toEqual([1, 1]);
    expect(await ofEverySchema.forget()).toEqual([0, 0]);
    await ofEverySchema.stop();
  });

  it("deletes all expired rows in one run, at most 1,000 rows per statement, and no other rows", async () => {
    const rule = await aTable("many");
    await fill("many", 2500);
    await fill("many", 7, "now() + interval '1 hour'");
    const forgetting = retention(rule);
    expect(await forgetting.forget()).toEqual([2500]);
    expect(await batches("many")).toEqual([1000, 1000, 500]);
    expect(await count("many")).toBe(7);
    await forgetting.stop();
  });

  it("skips locked rows", async () => {
    const rule = await aTable("locked");
    await fill("locked", 3);
    const holder = new pg.Client({ connectionString: test.url });
    await holder.connect();
    await holder.query("begin; select from bus.locked where id = 1 for update");
    const forgetting = retention(rule);
    expect(await forgetting.forget()).toEqual([2]);
    await holder.end();
    await forgetting.stop();
  });

  it("does not let a rule wait for another rule that is slow or fails", async () => {
    const [long, short] = [await aTable("long"), await aTable("short")];
    await fill("long", 2500);
    await fill("short", 2);
    const forgetting = retention(long, { ...long, table: "bus.missing" }, short);
    expect(await forgetting.forget()).toEqual([2500, 0, 2]);
    await forgetting.stop();
  });

  it("passes each batch to the statement that records the deleted rows", async () => {
    const rule = await aTable("remembered");
    await admin.query("create table bus.horizon (id bigint); grant insert on bus.horizon to suites_platform_worker");
    await fill("remembered", 1200);
    const forgetting = retention({ ...rule, remember: ["insert into bus.horizon select max(id) from gone"] });
    expect(await forgetting.forget()).toEqual([1200]);
    const { rows } = await admin.query("select max(id)::int as last, count(*)::int from bus.horizon");
    expect(rows).toEqual([{ last: 1200, count: 2 }]);
    await forgetting.stop();
  });

  it("ends a waiting statement when it is stopped", async () => {
    const rule = await aTable("stopped");
    await fill("stopped", 1);
    const holder = new pg.Client({ connectionString: test.url });
    await holder.connect();
    await holder.query("begin; lock table bus.stopped");
    const forgetting = retention(rule);
    const forgetsEnd = forgetting.forget();
    for (let look = 0; look < 1500; look += 1) {
      const { rows } = await admin.query("select from pg_locks where not granted");
      if (rows.length > 0) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await forgetting.stop();
    expect(await forgetsEnd).toEqual([0]);
    await holder.end();
  });
});
