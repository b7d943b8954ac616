import pg from "pg";
import { aDatabase, type TestDatabase } from "../unit-of-work/database.fixture.js";
import {
  databaseFailure,
  isConflict,
  isConnectionLost,
  isDatabaseOverload,
  isWriteOutage,
} from "./database-failure.js";
import { databaseRefusal, isUnavailable } from "./unavailable.js";

const systemError = (code: string, syscall: string) =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall });

describe("failures of PostgreSQL", () => {
  let test: TestDatabase;

  beforeAll(async () => {
    test = await aDatabase();
  });
  afterAll(() => test.close());

  /** Errors that the server sends. */
  async function failureOf(statement: string): Promise<Error> {
    const client = new pg.Client({ connectionString: test.url });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return await client.query(statement).then(
        () => new Error("It succeeded"),
        (error: Error) => error,
      );
    } finally {
      await client.end();
    }
  }
  const failureOfState = (state: string) => failureOf(`do $$ begin raise exception using errcode = '${state}'; end $$`);

  it.each([
    ["53100", "Full"],
    ["53200", "Exhausted"],
    ["53300", "Crowded"],
    ["08006", "Lost"],
    ["57P02", "Lost"],
    ["57P04", "Lost"],
    ["28000", "Refused"],
    ["28P01", "Refused"],
    ["26000", "Forgotten"],
    ["42P05", "Forgotten"],
    ["55P03", "Locked"],
    ["40P01", "Conflict"],
    ["40001", "Conflict"],
  ])("%s is 503 and not a bug", async (state, failure) => {
    const error = await failureOfState(state);
    expect(databaseFailure(error)).toBe(failure);
    expect(databaseRefusal(new Error("wrapped", { cause: error }))).toMatchObject({
      code: "UNAVAILABLE",
      facts: { retryAfterSeconds: 1 },
    });
  });

  it.each([
    ["set statement_timeout = '20ms'; select pg_sleep(5)", "TimedOut"],
    ["begin; set transaction read only; create table refused ()", "ReadOnly"],
    ["select pg_terminate_backend(pg_backend_pid())", "Lost"],
  ])("as the server sends it: %s", async (statement, failure) => {
    expect(databaseFailure(await failureOf(statement))).toBe(failure);
  });

  it("a plan whose columns have changed is forgotten", async () => {
    const changeAndExecute = "alter table changing add column two int; execute stale";
    const error = await failureOf(
      `create temp table changing (one int); prepare stale as table changing; ${changeAndExecute}`,
    );
    expect(databaseFailure(error)).toBe("Forgotten");
  });

  it("background work waits out an outage, and an overload only as long as others fail too", async () => {
    for (const state of ["53100", "53300", "57P01", "25006"]) {
      const error = await failureOfState(state);
      expect([isUnavailable(error), isDatabaseOverload(error)]).toEqual([true, false]);
    }
    for (const state of ["57014", "53200", "55P03"]) {
      const error = await failureOfState(state);
      expect([isUnavailable(error), isDatabaseOverload(error)]).toEqual([false, true]);
    }
  });

  it("a full disk of the server is told from one of this process", () => {
    const quota = new Error('could not extend file "base/5/1": Disk quota exceeded');
    expect(isWriteOutage(Object.assign(quota, { code: "XX000" }))).toBe(true);
    for (const code of ["ENOSPC", "EDQUOT"]) expect(isWriteOutage(systemError(code, "write"))).toBe(false);
  });

  it("what a constraint refuses and a bug are no outage", async () => {
    for (const state of ["23505", "42P01", "XX000", "22P02"])
      expect(databaseRefusal(await failureOfState(state))).toBeUndefined();
    expect(databaseRefusal(systemError("ENOENT", "open"))).toBeUndefined();
    expect(isConnectionLost(systemError("ENOENT", "connect"))).toBe(true);
    expect(isConflict(new Error("deadlock"))).toBe(false);
  });
});
