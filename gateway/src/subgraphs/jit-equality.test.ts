import fc from "fast-check";
import {
  buildSchema,
  type ExecutionResult,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
} from "graphql";
import { isJitEligible } from "./jit-eligibility.js";
import { localSubgraph } from "./local-subgraph.js";

const schema = buildSchema(`
  type Query {
    item(id: ID, n: Int, s: String, f: Float, b: Boolean, k: Kind): Item
    must(id: ID, n: Int, s: String, f: Float, b: Boolean, k: Kind): Item!
    items(n: Int = 3): [Item!]!
    some(b: Boolean): [Item]
  }
  type Item {
    id: ID!  name: String  strict: String!  count: Int  ratio: Float!  on: Boolean  kind: Kind  kinds: [Kind!]!  at: Date
    tags: [String!]  grid: [[Int!]]!  args(id: ID = "x", n: Int = 1, k: Kind = B): String
    inner: Item  innerStrict: Item!  list: [Item!]  lists: [[Item]!]!
  }
  enum Kind { A B }
  scalar Date
`);
const leaves = [
  "id",
  "name",
  "strict",
  "count",
  "ratio",
  "on",
  "kind",
  "kinds",
  "at",
  "tags",
  "grid",
  "args",
  "__typename",
];
const objects = ["inner", "innerStrict", "list", "lists"];

/** A resolver's behavior depends only on its place, so that both engines meet the same. */
interface Behaviour {
  readonly seed: number;
  /** The number among a hundred resolvers. */
  readonly failing: number;
}

function chance(behaviour: Behaviour, key: string): number {
  let hash = behaviour.seed | 0;
  for (const letter of key) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) ^ (hash >>> 13);
  return (hash >>> 0) % 1000;
}

const pathOf = ({ path }: GraphQLResolveInfo): string => {
  const keys: (string | number)[] = [];
  for (let at: typeof path | undefined = path; at; at = at.prev) keys.unshift(at.key);
  return keys.join(".");
};

const leafValues: Readonly<Record<string, readonly unknown[]>> = {
  ID: ["i", 7, "", { odd: true }],
  String: ["text", 5, true, ["not a text"]],
  Int: [1, -3, "12", 1.5],
  Float: [1.5, 2, "0.5", "NaN"],
  Boolean: [true, false, 0, "yes"],
  Kind: ["A", "B", "A", "C"],
  Date: ["2026", 5, { any: [1] }, new Date(0)],
};

function valueOf(type: GraphQLOutputType, behaviour: Behaviour, key: string): unknown {
  const roll = chance(behaviour, key);
  if (roll < behaviour.failing * 5) return [null, undefined, new Error(`wrong at ${key}`)][roll % 3];
  const nullable = getNullableType(type);
  if (isListType(nullable))
    return roll > 990 && behaviour.failing > 0
      ? "not a list"
      : Array.from({ length: roll % 3 }, (_, at) => valueOf(nullable.ofType, behaviour, `${key}[${at}`));
  if (isObjectType(nullable)) return {};
  const values = leafValues[String(nullable)] ?? [];
  return values[behaviour.failing === 0 ? roll % 2 : roll % 4];
}

for (const type of [schema.getQueryType(), schema.getType("Item")]) {
  for (const field of isObjectType(type) ? Object.values(type.getFields()) : []) {
    field.resolve = (_source, args, context: Behaviour, info) => {
      const key = pathOf(info);
      // once an item in a list has failed at once, graphql-js (16.15) leaves other items' rejections without a handler
      const isKept = /\.\d/.test(key) && isNonNullType(field.type);
      const behaviour = isKept ? { ...context, failing: 0 } : context;
      const roll = chance(behaviour, `${key}!`);
      const isLate = roll % 2 === 0;
      if (roll < behaviour.failing * 5) {
        const error = new Error(`failed at ${key}`);
        if (!isLate) throw error;
        return Promise.reject(error);
      }
      const value = field.name === "args" ? JSON.stringify(args) : valueOf(field.type, behaviour, key);
      return isLate ? Promise.resolve(value) : value;
    };
  }
}

const variables = ["id: $id", "n: $n", "s: $s", "f: $f", "b: $b", "k: $k"];
const definitions = "$id: ID, $n: Int = 2, $s: String, $f: Float, $b: Boolean = false, $k: Kind = A";
const literals = ['id: "9"', "id: 9", "n: 4", 's: "x"', "f: 1", "f: 1.5", "b: true"];
const argumentsFor = fc.constantFrom("", ...[...variables, ...literals].map((argument) => `(${argument})`));

const { selection } = fc.letrec<{ selection: string; part: string }>((tie) => ({
  selection: fc.array(tie("part"), { minLength: 1, maxLength: 4 }).map((parts) => `{ ${parts.join(" ")} }`),
  part: fc.oneof(
    { maxDepth: 3, depthSize: "small", withCrossShrink: true },
    fc.constantFrom(...leaves),
    fc.constantFrom("a: args(n: $n)", "b: args(id: $id, k: $k)", "c: args(n: 7)"),
    fc.tuple(fc.constantFrom(...objects), tie("selection")).map(([name, inner]) => `${name} ${inner}`),
    tie("selection").map((inner) => `... on Item ${inner}`),
  ),
}));

const root = fc.oneof(
  fc
    .tuple(fc.constantFrom("item", "must"), argumentsFor, selection)
    .map(([name, argumentText, inner]) => `${name}${argumentText} ${inner}`),
  fc
    .tuple(fc.constantFrom("items", "items(n: $n)", "some(b: $b)", "some"), selection)
    .map(([name, inner]) => `${name} ${inner}`),
);

/** Each variable is used, as in what the planner writes. */
const operation = fc.oneof(
  fc.array(root, { minLength: 1, maxLength: 3 }).map((roots) => {
    const fields = roots.map((each, at) => `r${at}: ${each}`).join(" ");
    return `query Q(${definitions}) { ${fields} all: item(${variables.join(", ")}) { id } }`;
  }),
  selection.map((inner) => `query Q(${definitions}) { only: must(${variables.join(", ")}) ${inner} }`),
);

const anyValue = fc.oneof(
  fc.constantFrom(null, 1, 1.5, "A", "text", true, "7", {}, [], Number.MAX_SAFE_INTEGER),
  fc.constant(undefined),
);
const fitting = fc.record(
  {
    id: fc.constantFrom("x", 5, "5"),
    n: fc.constantFrom(1, -2, null),
    s: fc.constantFrom("a", null),
    f: fc.constantFrom(1, 1.5),
    b: fc.boolean(),
    k: fc.constantFrom("A", "B"),
  },
  { requiredKeys: [] },
);
const anyVariables = fc.record({ id: anyValue, n: anyValue, s: anyValue, f: anyValue, b: anyValue, k: anyValue });

const comparable = ({ data, errors }: ExecutionResult) => ({
  // as text, so that key order counts
  data: JSON.stringify(data),
  errors: errors?.map((error) => ({ ...error.toJSON(), cause: error.originalError?.message })),
});

describe("a subgraph's answers over graphql-jit and over graphql-js", () => {
  it.each([
    ["without a failure", 0, fitting],
    ["with few failures", 3, fitting],
    ["with many failures", 25, fitting],
    ["with any variables", 0, anyVariables],
  ])("are the same in data and in the whole list of errors: %s", async (_, failing, valuesArbitrary) => {
    let compiledCount = 0;
    await fc.assert(
      fc.asyncProperty(operation, valuesArbitrary, fc.integer(), async (text, values, seed) => {
        const behaviour = { seed, failing };
        compiledCount += isJitEligible(schema, parse(text), "Q") ? 1 : 0;
        const byJs = localSubgraph<Behaviour>("js", schema, { jitAfterRuns: Number.POSITIVE_INFINITY });
        const byJit = localSubgraph<Behaviour>("jit", schema, { jitAfterRuns: 1 }).prepare(text, "Q");
        const expectedResult = comparable(await byJs.prepare(text, "Q").run(values, behaviour));
        expect(comparable(await byJit.run(values, behaviour))).toEqual(expectedResult);
      }),
      { numRuns: 60 },
    );
    expect(compiledCount).toBeGreaterThan(30);
  });
});
