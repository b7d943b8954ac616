import {
  buildSchema,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
  parse,
  validate,
} from "graphql";
import { withoutSchemaNames } from "./schema-names.js";

/** Every name that a caller did not write begins with Secret. */
const schema = buildSchema(`
  directive @oneOf on INPUT_OBJECT
  type Query { a: SecretThing b(of: SecretInput, one: SecretChoice, n: Int!): Int s: SecretScalar e(k: SecretEnum!): Int
    i: SecretNode l: [SecretThing!]! x(of: [SecretInput!]!): Int }
  type SecretThing implements SecretNode { id: ID secretA: Int c: SecretEnum o: Int }
  type SecretOther implements SecretNode { id: ID o: String }
  interface SecretNode { id: ID }
  scalar SecretScalar
  enum SecretEnum { SECRET_ONE SECRET_TWO }
  input SecretInput { needed: SecretEnum! n: Int, deep: SecretInput }
  input SecretChoice @oneOf { secretLeft: Int secretRight: Int }
`);

const wrongDocuments = [
  "{ secret }",
  "{ a { secreta } }",
  "{ a }",
  "{ l }",
  "{ s { x } }",
  "{ b(n: 1, other: 2) }",
  "{ b }",
  "{ e(k: SECRET_ON) }",
  `{ e(k: "SECRET_ON") }`,
  "{ e(k: 4) }",
  "{ e(k: null) }",
  "{ b(n: null) }",
  "{ b(n: 1, of: {}) }",
  "{ b(n: 1, of: 3) }",
  "{ b(n: 1, of: { needed: 1 }) }",
  "{ b(n: 1, one: {}) }",
  "{ b(n: 1, one: { secretLeft: null }) }",
  "query ($k: String) { e(k: $k) }",
  "query ($n: Int) { b(n: 1, one: { secretLeft: $n }) }",
  "{ x(of: 3) }",
  "{ a { ... on SecretOther { id } } }",
  "{ i { ... on SecretThing { v: o } ... on SecretOther { v: o } } }",
  "{ a { v: id v: c } }",
  "{ i { o } }",
  "{ ... on Secre { a } }",
  "query ($x: Secre) { e }",
  "{ b @include }",
  "{ b(n: 1.5) }",
];

const wordsIn = (text: string) => new Set(text.match(/\w+/g));

function leaked(message: string, text: string): string[] {
  const ownWords = wordsIn(text);
  return (withoutSchemaNames(message).match(/\w+/g) ?? []).filter(
    (word) => /secret/i.test(word) && !ownWords.has(word),
  );
}

describe("a message about a schema that is not shown", () => {
  it.each(wrongDocuments)("names nothing that the caller did not write: %s", (text) => {
    const errors = validate(schema, parse(text));
    expect(errors).not.toEqual([]);
    for (const { message } of errors) {
      expect({ message, leaked: leaked(message, text) }).toEqual({ message, leaked: [] });
      expect(withoutSchemaNames(message)).toMatch(/\w+ .+\w/);
    }
  });

  it.each([
    { of: 3 },
    { of: {} },
    { of: { needed: "x" } },
    { of: { needed: 4 } },
    { of: { needed: null } },
    { of: { secretNeed: "SECRET_ONE" } },
    { of: { needed: "SECRET_ONE", deep: { deep: 1 } } },
    { one: { secretLeft: 1, secretRight: 2 } },
    { one: {} },
    { one: { secretLeft: null } },
    { k: null },
    {},
    { k: "SECRET_ON" },
  ])("says as little of variables: %j", (variables) => {
    const text =
      "query ($of: SecretInput, $one: SecretChoice, $k: SecretEnum!) { b(n: 1, of: $of, one: $one) e(k: $k) }";
    const { variableDefinitions = [] } = getOperationAST(parse(text)) as OperationDefinitionNode;
    const { errors = [] } = getVariableValues(schema, variableDefinitions, variables);
    expect(errors.length).toBeGreaterThan(0);
    for (const { message } of errors) {
      const ownText = `${text} ${JSON.stringify(variables)} secretLeft secretRight`;
      expect({ message, leaked: leaked(message, ownText) }).toEqual({ message, leaked: [] });
    }
  });

  it("stays readable", () => {
    const messagesOf = (text: string) =>
      validate(schema, parse(text)).map(({ message }) => withoutSchemaNames(message));
    expect(messagesOf("{ secret }")).toEqual(['Cannot query field "secret".']);
    expect(messagesOf("{ b(n: 1, other: 2) }")).toEqual(['Unknown argument "other" on field "b".']);
    expect(messagesOf("{ b }")).toEqual([
      'Field "b" argument "n" of type "Int!" is required, but it was not provided.',
    ]);
    expect(messagesOf("{ e(k: 4) }")).toEqual(["The enum cannot represent non-enum value: 4."]);
    expect(withoutSchemaNames("Cannot return null for non-nullable field Secret.name.")).toBe(
      'Cannot return null for non-nullable field "name".',
    );
    expect(withoutSchemaNames("Cannot return null for non-nullable array element of type Secret at index 3.")).toBe(
      "Cannot return null for non-nullable array element at index 3.",
    );
  });
});
