import { foreignNumber } from "@factory/runtime/json/kept-numbers";
import { buildSchema, getOperationAST, getVariableValues, type OperationDefinitionNode, parse, print } from "graphql";
import { liftLiterals } from "./lifted-literals.js";

const schema = buildSchema(`
  type Query { find(ids: [ID!], filter: Filter, json: JSON, at: Date, text: String, size: Size): Query  name: String }
  input Filter { name: String = "any", ids: [ID!], inner: Filter, size: Size, json: JSON, most: Int! = 5 }
  enum Size { SMALL LARGE }
  scalar JSON
  scalar Date
`);

function lifted(text: string, providedValues: Record<string, unknown> = {}) {
  const document = parse(text);
  const operation = getOperationAST(document) as OperationDefinitionNode;
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], providedValues);
  const literals = liftLiterals(schema, document, operation);
  return {
    text: print(literals.document).replace(/\s+/g, " "),
    variables: literals.variables(providedValues, coerced ?? {}),
  };
}

/** The value that `find` gets as its argument. */
const value = (literal: string, variables = "", providedValues: Record<string, unknown> = {}) =>
  lifted(`query ${variables && `(${variables})`} { find(${literal}) { name } }`, providedValues).variables["literal_0"];

describe("lifting literals out of a document", () => {
  it("leaves what the planner reads at once, and documents without more than that", () => {
    const text = 'query ($t: String) { find(text: $t, size: LARGE) { name } a: find(text: "x", ids: null) { name } }';
    const providedValues = { t: "y" };
    const { text: plannedText, variables } = lifted(text, providedValues);
    expect(plannedText).toBe(print(parse(text)).replace(/\s+/g, " "));
    expect(variables).toBe(providedValues);
  });

  it("declares a variable of the argument's type for a list, an object or a value of a custom scalar", () => {
    const { text, variables } = lifted('{ find(ids: ["1"], filter: {name: "a"}, json: [[[1]]], at: "2026") { name } }');
    expect(text).toBe(
      "query ($literal_0: [ID!], $literal_1: Filter, $literal_2: JSON, $literal_3: Date) " +
        "{ find(ids: $literal_0, filter: $literal_1, json: $literal_2, at: $literal_3) { name } }",
    );
    expect(variables).toEqual({ literal_0: ["1"], literal_1: { name: "a" }, literal_2: [[[1]]], literal_3: "2026" });
  });

  it("gives equal literals one variable, so that fields that merge keep equal arguments", () => {
    const { text } = lifted(
      '{ find(filter: {name: "a", most: 1}) { name } find(filter: {most: 1  name: "a"}) { name } }',
    );
    expect(text.match(/\$literal_\d: /g)).toEqual(["$literal_0: "]);
  });

  it("takes no name that the document uses", () => {
    const { text } = lifted("query ($literal_0: Int, $x: ID!) { find(json: [$literal_0], ids: [$x]) { name } }", {
      x: 1,
    });
    expect(text).toContain("$literal_1: JSON, $literal_2: [ID!]");
  });

  it("keeps every digit of an ID, and numbers, enums and null as what they are", () => {
    expect(value('ids: [12345678901234567890, "b"]')).toEqual(["12345678901234567890", "b"]);
    expect(value("filter: {size: LARGE, most: 3, name: null}")).toEqual({ size: "LARGE", most: 3, name: null });
    expect(value('json: {a: -1.5e3, b: true, c: LARGE, d: null, e: """x"""}')).toEqual({
      a: foreignNumber("-1.5e3"),
      b: true,
      c: "LARGE",
      d: null,
      e: "x",
    });
  });

  it("puts variables in, with their defaults", () => {
    const variables = '$a: ID!, $n: String = "byDefault", $j: JSON';
    expect(value("filter: {ids: [$a], name: $n, json: {deep: [$j]}}", variables, { a: 7, j: { k: [1] } })).toEqual({
      ids: ["7"],
      name: "byDefault",
      json: { deep: [{ k: [1] }] },
    });
  });

  it("leaves out a field whose variable is left out, and makes it null in a list", () => {
    expect(value("filter: {name: $n, json: {a: $n, b: [$n, 1]}}", "$n: String")).toEqual({ json: { b: [null, 1] } });
    expect(value("filter: {name: $n}", "$n: String", { n: null })).toEqual({ name: null });
  });

  it("lifts a nested default wherever its variable stands", () => {
    const text = 'query ($f: Filter = {ids: ["1"], inner: {name: "x"}}) { find(filter: $f) { name } }';
    expect(lifted(text).text).toBe("query ($literal_0: Filter) { find(filter: $literal_0) { name } }");
    expect(lifted(text).variables["literal_0"]).toEqual({
      ids: ["1"],
      most: 5,
      name: "any",
      inner: { name: "x", most: 5 },
    });
    expect(lifted(text, { f: { name: "given" } }).variables["literal_0"]).toMatchObject({ name: "given" });
    expect(lifted(text, { f: null }).variables["literal_0"]).toBeNull();
  });

  it("builds every value anew, and never sets a prototype", () => {
    const document = parse("{ find(json: {__proto__: {polluted: true}, constructor: 1, list: [{}]}) { name } }");
    const { variables } = liftLiterals(schema, document, getOperationAST(document) as OperationDefinitionNode);
    const [first, second] = [variables({}, {}), variables({}, {})].map((each) => each["literal_0"] as object);
    expect(first).toEqual(second);
    expect(first).not.toBe(second);
    expect(Object.keys(first ?? {})).toEqual(["__proto__", "constructor", "list"]);
    expect(Object.getPrototypeOf(first)).toBe(Object.prototype);
    expect(JSON.stringify(first)).toBe('{"__proto__":{"polluted":true},"constructor":1,"list":[{}]}');
  });

  it("lifts out of fragments and leaves other operations of the document out", () => {
    const document = parse(
      "query A { ...F } query B { find(json: [2]) { name } } fragment F on Query { find(json: [1]) { name } }",
    );
    const literals = liftLiterals(schema, document, getOperationAST(document, "A") as OperationDefinitionNode);
    expect(print(literals.document).replace(/\s+/g, " ")).toBe(
      "query A($literal_0: JSON) { ...F } fragment F on Query { find(json: $literal_0) { name } }",
    );
    expect(literals.variables({}, {})).toEqual({ literal_0: [1] });
  });
});
