import { CompiledQuery, Kysely } from "kysely";
import type { Pool } from "pg";
import { openOrmPool } from "../connections/pool.js";
import { aDatabase, quiet, type TestDatabase } from "../unit-of-work/database.fixture.js";
import { type CountedWay, countedWay } from "../unit-of-work/round-trips.fixture.js";
import { deferredQuery, TransactionDialect } from "./transaction-dialect.js";

const insert = "insert into counted (number) values ($1)";
const preparedInsert = { name: "insert", text: insert };
const set = { name: "set", text: "select set_config('app.tenant', $1, true)" };

describe("a transaction over TransactionDialect", () => {
  let test: TestDatabase;
  let way: CountedWay;
  let pool: Pool;
  let kysely: Kysely<unknown>;

  beforeAll(async () => {
    test = await aDatabase();
    way = await countedWay(test.url);
    pool = openOrmPool(way.url, 1, quiet);
    kysely = new Kysely({ dialect: new TransactionDialect(pool) });
    await kysely.executeQuery(CompiledQuery.raw("create table counted (number int primary key)"));
  });
  afterEach(() => kysely.executeQuery(CompiledQuery.raw("truncate counted")));
  afterAll(async () => {
    await kysely.destroy();
    await pool.end();
    way.close();
    await test.close();
  });

  const begin = () => kysely.startTransaction().execute();
  const numbers = async () => {
    const { rows } = await kysely.executeQuery<{ number: number }>(CompiledQuery.raw("select number from counted"));
    return rows.map(({ number }) => number);
  };

  it("needs one round trip for each awaited statement and one for its end", async () => {
    way.count();
    const transaction = await begin();
    await transaction.executeQuery(deferredQuery(set, ["x"]));
    expect(way.count()).toBe(0);
    const { numAffectedRows } = await transaction.executeQuery(CompiledQuery.raw(insert, [1]));
    expect([numAffectedRows, way.count()]).toEqual([1n, 1]);
    await transaction.executeQuery(deferredQuery(preparedInsert, [2]));
    await transaction.executeQuery(deferredQuery(preparedInsert, [3]));
    await transaction.commit().execute();
    expect(way.count()).toBe(1);
    expect(await numbers()).toEqual([1, 2, 3]);
  });

  it("hands over the rows of deferred statements before its end is known, without a round trip for them", async () => {
    way.count();
    const takenRows: unknown[] = [];
    const transaction = await begin();
    const returning = { name: "returning", text: `${insert} returning number` };
    await transaction.executeQuery(deferredQuery(returning, [1], (rows) => takenRows.push(rows)));
    await transaction.executeQuery(deferredQuery("select 1 where false", [], (rows) => takenRows.push(rows)));
    expect(takenRows).toEqual([]);
    await transaction.commit().execute();
    expect(takenRows).toEqual([[{ number: 1 }], []]);
    expect(way.count()).toBe(1);
  });

  it("fails at its end with the error of the deferred statement, and writes nothing", async () => {
    const transaction = await begin();
    await transaction.executeQuery(CompiledQuery.raw(insert, [1]));
    await transaction.executeQuery(deferredQuery(insert, [1]));
    await transaction.executeQuery(deferredQuery(insert, [2]));
    await expect(transaction.commit().execute()).rejects.toMatchObject({ code: "23505" });
    await transaction.rollback().execute();
    expect(await numbers()).toEqual([]);
  });

  it("fails at the next statement with the same error", async () => {
    const transaction = await begin();
    await transaction.executeQuery(deferredQuery(insert, ["no number"]));
    await expect(transaction.executeQuery(CompiledQuery.raw(insert, [2]))).rejects.toMatchObject({ code: "22P02" });
    await transaction.rollback().execute();
    expect(await numbers()).toEqual([]);
  });

  it("does not count as committed when a failure in it was caught", async () => {
    const transaction = await begin();
    await transaction.executeQuery(CompiledQuery.raw(insert, [1]));
    await transaction.executeQuery(CompiledQuery.raw(insert, [1])).catch(() => undefined);
    await expect(transaction.commit().execute()).rejects.toThrow("has failed");
    await transaction.rollback().execute();
    expect(await numbers()).toEqual([]);
  });

  it("returns to its savepoint", async () => {
    const transaction = await begin();
    await transaction.executeQuery(deferredQuery(insert, [1]));
    const inner = await transaction.savepoint("inner").execute();
    await inner.executeQuery(CompiledQuery.raw(insert, [1])).catch(() => undefined);
    await inner.rollbackToSavepoint("inner").execute();
    await transaction.commit().execute();
    expect(await numbers()).toEqual([1]);
  });

  it("keeps nothing of a transaction that was rolled back before its first statement", async () => {
    const transaction = await begin();
    await transaction.executeQuery(deferredQuery(insert, [1]));
    await transaction.rollback().execute();
    expect(await numbers()).toEqual([]);
  });

  it("accepts no statement after its end has begun", async () => {
    const transaction = await begin();
    await transaction.executeQuery(CompiledQuery.raw(insert, [1]));
    const end = transaction.rollback().execute();
    for (const late of [deferredQuery(insert, [2]), CompiledQuery.raw(insert, [3])])
      await expect(transaction.executeQuery(late)).rejects.toThrow("has ended");
    await end;
    expect(await numbers()).toEqual([]);
  });

  it("refuses a value at once that cannot be sent, and can still be rolled back", async () => {
    const transaction = await begin();
    await transaction.executeQuery(CompiledQuery.raw(insert, [1]));
    await expect(transaction.executeQuery(deferredQuery(insert, [{ an: "object" }]))).rejects.toThrow(TypeError);
    await transaction.rollback().execute();
    expect(await numbers()).toEqual([]);
  });

  it("leaves no half-prepared statement to the next transaction", async () => {
    const first = { name: "first", text: insert };
    const transaction = await begin();
    await transaction.executeQuery(deferredQuery(insert, ["no number"]));
    await transaction.executeQuery(deferredQuery(first, [1]));
    const next = begin();
    await transaction.rollback().execute();
    await (await next).executeQuery(deferredQuery(first, [2]));
    await (await next).commit().execute();
    expect(await numbers()).toEqual([2]);
  });

  it("returns its connection to the pool when the server has ended it", async () => {
    const transaction = await begin();
    await transaction.executeQuery(CompiledQuery.raw(insert, [1]));
    const termination = transaction.executeQuery(CompiledQuery.raw("select pg_terminate_backend(pg_backend_pid())"));
    await expect(termination).rejects.toMatchObject({ code: "57P01" });
    await transaction.rollback().execute();
    expect(await numbers()).toEqual([]);
  });
});
