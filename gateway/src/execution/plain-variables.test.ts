import { buildSchema, getOperationAST, getVariableValues, parse, type VariableDefinitionNode } from "graphql";
import { plainVariables } from "./plain-variables.js";

const schema = buildSchema(
  "type Query { a(id: ID, text: String): Int } enum Kind { A } input Filter { n: Int } scalar Date",
);

function definitions(text: string): readonly VariableDefinitionNode[] {
  return getOperationAST(parse(`query Q(${text}) { a }`), "Q")?.variableDefinitions ?? [];
}

describe("variables that coerce to themselves", () => {
  it.each([
    ["$id: ID!", { id: "x" }],
    ["$id: ID", {}],
    ["$id: ID!, $n: Int, $flag: Boolean, $text: String", { id: "x", n: -3, flag: false, text: "", more: 1 }],
    ["$n: Int!", { n: 2_147_483_647 }],
  ])("%s as %j are what GraphQL makes of them", (text, providedValues) => {
    const readVariables = plainVariables(definitions(text));
    expect(readVariables?.(providedValues)).toEqual(
      getVariableValues(schema, definitions(text), providedValues).coerced,
    );
  });

  it.each([
    ["$id: ID!", {}],
    ["$id: ID!", { id: null }],
    ["$id: ID", { id: null }],
    ["$id: ID!", { id: 7 }],
    ["$n: Int", { n: 2_147_483_648 }],
    ["$n: Int", { n: 1.5 }],
    ["$n: Int", { n: "1" }],
    ["$flag: Boolean", { flag: 1 }],
    ["$text: String", { text: ["a"] }],
  ])("%s as %j are left to GraphQL", (text, providedValues) => {
    expect(plainVariables(definitions(text))?.(providedValues)).toBeUndefined();
  });

  it.each(["$k: Kind", "$f: Filter", "$d: Date", "$ids: [ID!]", "$n: Int = 1", "$x: Float"])(
    "%s is no such variable",
    (text) => {
      expect(plainVariables(definitions(text))).toBeUndefined();
    },
  );
});
