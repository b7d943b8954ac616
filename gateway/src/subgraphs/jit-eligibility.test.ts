import { buildSchema, type GraphQLSchema, isObjectType, parse } from "graphql";
import { openShop } from "../execution/shop.fixture.js";
import { isJitEligible } from "./jit-eligibility.js";

const schema = buildSchema(`
  type Query { item(id: ID, kind: Kind, filter: Filter, at: Date): Item  shared(ids: [ID!] = ["1"]): Item  node: Node  either: Either  typed: Typed }
  type Mutation { change: Item }
  enum Kind { A B }
  scalar Date
  input Filter { n: Int! = 3 }
  interface Node { id: ID }
  type Item implements Node { id: ID  name: String  bare: String  inner: Item }
  type Typed { id: ID }
  union Either = Item | Typed
`);
// every schema in the process has the same introspection types
for (const type of Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith("__"))) {
  for (const field of isObjectType(type) ? Object.values(type.getFields()) : []) {
    if (field.name !== "bare") {
      field.resolve = () => null;
    }
  }
}
const typedObject = schema.getType("Typed");
if (isObjectType(typedObject)) {
  typedObject.isTypeOf = () => true;
}

const eligible = (text: string, of: GraphQLSchema = schema): boolean =>
  isJitEligible(of, parse(text), text.startsWith("query Q") ? "Q" : undefined);

describe("graphql-jit", () => {
  it.each([
    "query Q($id: ID!, $kind: Kind) { item(id: $id, kind: $kind) { __typename id other: name inner { name } } }",
    '{ item(id: "5") { ... on Item { name } } a: item(id: 5) { id } }',
  ])("may run %s", (text) => {
    expect(eligible(text)).toBe(true);
  });

  it.each([
    ["a mutation", "mutation { change { id } }"],
    ["an input object variable", "query Q($f: Filter) { item(filter: $f) { id } }"],
    ["a custom scalar variable", "query Q($at: Date) { item(at: $at) { id } }"],
    ["a list of input objects", "query Q($f: [Filter!]) { item(filter: $f) { id } }"],
    ["a literal of a custom scalar", '{ item(at: "2026") { id } }'],
    ["a variable inside a literal", "query Q($n: Int!) { item(filter: {n: $n}) { id } }"],
    ["a literal enum", "{ item(kind: A) { id } }"],
    ["null", "{ item(id: null) { id } }"],
    ["a default that is shared", "{ shared { id } }"],
    ["a directive", "query Q($s: Boolean!) { item { id @skip(if: $s) } }"],
    ["a named fragment", "{ item { ...F } } fragment F on Item { name }"],
    ["a document of two operations", "query Q { item { id } } query R { item { id } }"],
    ["a document whose code would be long", `{ ${"item { id } ".repeat(200)} }`],
    ["an interface", "{ node { id } }"],
    ["a union", "{ either { __typename } }"],
    ["a type with isTypeOf", "{ typed { id } }"],
    ["a field without a resolver", "{ item { inner { bare } } }"],
    ["a key that objects inherit", "{ item { __proto__: name } }"],
    ["the key constructor", "{ item { constructor: name } }"],
  ])("does not run %s", (_, text) => {
    expect(eligible(text)).toBe(false);
  });

  it("may run entity fetches of fields with resolvers", () => {
    const accounts = openShop().schemas.get("accounts");
    const text = (field: string) =>
      `query Q($representations: [_Any!]!) { _entities(representations: $representations) { ... on User { ${field} } } }`;
    expect(accounts && eligible(text("secret"), accounts)).toBe(true);
    expect(accounts && eligible(text("name"), accounts)).toBe(false);
  });
});
