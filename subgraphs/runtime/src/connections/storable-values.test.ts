import { continueTrace } from "../telemetry/trace.js";
import { aDatabase, aTenant, quiet, type TestDatabase } from "../unit-of-work/database.fixture.js";
import { openPool } from "./pool.js";

const cause = { trace: continueTrace(undefined) };
const foreign = 'a\0b\ud800c "\\" \u{1f600}';
const storedText = 'a\ufffdb\ufffdc "\\" \u{1f600}';

describe("texts from outside", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await aDatabase();
  });
  afterAll(() => test.close());

  const statement = {
    name: "one_of_each",
    text: "select $1::text as text, $2::text[] as texts, $3::jsonb as document",
  };

  it("are stored with a substitute for characters that PostgreSQL refuses: texts, lists and members of JSON", async () => {
    const document = { [`name ${foreign}`]: [foreign, { deep: foreign }], number: 1.5 };
    const values = [foreign, [foreign, "plain"], JSON.stringify(document)];
    const expectedRows = [
      {
        text: storedText,
        texts: [storedText, "plain"],
        document: { [`name ${storedText}`]: [storedText, { deep: storedText }], number: 1.5 },
      },
    ];
    const inTransaction = await test.database.transaction(aTenant(), cause, async ({ execute, defer }) => {
      await defer(statement, values);
      return [await execute(statement, values), await execute(statement.text, values)];
    });
    expect(inTransaction).toEqual([expectedRows, expectedRows]);
    const pool = openPool(test.definition.connections.worker, 1, quiet);
    expect((await pool.query(statement.text, values)).rows).toEqual(expectedRows);
    expect((await pool.query({ ...statement, values })).rows).toEqual(expectedRows);
    expect((await pool.query(statement.text, [...values.slice(0, 2), document])).rows).toEqual(expectedRows);
    await pool.end();
  });

  it("stay unchanged when a backslash does not begin an escape", async () => {
    const texts = ["C:\\u0000", '{"half', String.raw`\ud800 of a path`, String.raw`["\\u0000"]`, "\u{1f600}"];
    const rows = await test.database.transaction(aTenant(), cause, ({ execute }) =>
      execute("select unnest($1::text[]) as text", [texts]),
    );
    expect(rows).toEqual(texts.map((text) => ({ text })));
  });

  it("are cleaned in events too", async () => {
    const tenant = aTenant();
    await test.database.transaction(tenant, cause, async ({ record }) => {
      record({ type: "TemplateExecutionFailed", subject: "executions/x", data: { error: { message: foreign } } });
    });
    const rows = await test.database.transaction(tenant, cause, ({ execute }) =>
      execute("select envelope->'data'->'error'->>'message' as message from outbox where tenant_id = $1", [
        tenant.uuid,
      ]),
    );
    expect(rows).toEqual([{ message: storedText }]);
  });
});
