import type { ExecutionResult } from "graphql";
import { buildSchema, isScalarType, valueFromASTUntyped } from "graphql";
import { localSubgraph } from "./local-subgraph.js";

function counterSchema() {
  const schema = buildSchema("type Query { count(by: Int): Int  fails: Int! }");
  const fields = schema.getQueryType()?.getFields();
  if (fields?.["count"] && fields["fails"]) {
    fields["count"].resolve = (_, args: { by?: number }, context: { base: number }) => context.base + (args.by ?? 0);
    fields["fails"].resolve = () => {
      throw new Error("no count");
    };
  }
  return schema;
}

/** graphql-js makes objects without a prototype, graphql-jit plain ones: the only difference there may be. */
const usedJit = ({ data }: ExecutionResult): boolean => Object.getPrototypeOf(data) === Object.prototype;

describe("a subgraph in this process", () => {
  it("refuses an operation that does not fit its schema when it is prepared", () => {
    expect(() => localSubgraph("counter", counterSchema()).prepare("{ missing }", undefined)).toThrow(
      'Subgraph "counter" refuses a planned operation: Cannot query field "missing"',
    );
  });

  it("leaves an operation that runs a few times to graphql-js", async () => {
    const fetch = localSubgraph<{ base: number }>("counter", counterSchema()).prepare("{ count }", undefined);
    await fetch.run({}, { base: 1 });
    expect(usedJit(await fetch.run({}, { base: 1 }))).toBe(false);
  });

  it("compiles an eligible operation after the given number of runs, with the same answers", async () => {
    const subgraph = localSubgraph<{ base: number }>("counter", counterSchema(), { jitAfterRuns: 2 });
    const fetch = subgraph.prepare("query Q($by: Int) { count(by: $by) }", "Q");
    const results = [];
    for (const by of [1, 2, 3]) {
      results.push(await fetch.run({ by }, { base: 10 * by }));
    }
    expect(results.map(usedJit)).toEqual([false, true, true]);
    expect(results.map(({ data }) => data?.["count"])).toEqual([11, 22, 33]);
  });

  it("keeps the variables inside a literal of a custom scalar, from the first run to the last", async () => {
    const schema = buildSchema("scalar JSON  type Query { echo(json: JSON, n: Int): JSON }");
    const echo = schema.getQueryType()?.getFields()["echo"];
    const json = schema.getType("JSON");
    if (echo) echo.resolve = (_, args: { json: object }) => args.json;
    if (isScalarType(json)) json.parseLiteral = (node, variables) => valueFromASTUntyped(node, variables);
    const fetch = localSubgraph<object>("echo", schema, { jitAfterRuns: 2 }).prepare(
      "query Q($v: Int) { echo(json: {a: [$v]}) }",
      "Q",
    );
    const values = [];
    for (const v of [1, 2, 3, 4]) values.push((await fetch.run({ v }, {})).data?.["echo"]);
    expect(values).toEqual([{ a: [1] }, { a: [2] }, { a: [3] }, { a: [4] }]);
  });

  it("reports errors alike either way", async () => {
    const run = async (options: { jitAfterRuns?: number }) =>
      localSubgraph<object>("counter", counterSchema(), options).prepare("{ fails }", undefined).run({}, {});
    const [plain, compiledResult] = [await run({}), await run({ jitAfterRuns: 1 })];
    expect(compiledResult.data).toBeNull();
    expect(compiledResult.errors?.[0]?.originalError).toBeInstanceOf(Error);
    expect(JSON.parse(JSON.stringify(compiledResult))).toEqual(JSON.parse(JSON.stringify(plain)));
  });
});
