import {
  buildSchema,
  GraphQLError,
  type GraphQLScalarType,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
  parse,
  validate,
} from "graphql";
import { withoutCallerValues } from "./caller-values.js";

const schema = buildSchema(`
  type Query { a(text: String, number: Int, kind: Kind, of: Of, any: Object, flag: Boolean, list: [Of!]): Int }
  scalar Object
  enum Kind { ONE TWO }
  input Of { name: String! flag: Boolean deep: Of object: Object }
`);
const object = schema.getType("Object") as GraphQLScalarType;
const refuse = (value: unknown) => {
  throw new GraphQLError(`Object cannot represent non-object value: ${JSON.stringify(value)}`);
};
Object.assign(object, { parseValue: refuse, parseLiteral: refuse });

describe("a message about a wrong value", () => {
  it.each([
    [{ text: ["hunter2"] }, 'Variable "$text" got invalid value; String cannot represent a non string value.'],
    [{ number: "hunter2" }, 'Variable "$number" got invalid value; Int cannot represent non-integer value.'],
    [{ kind: "hunter2" }, 'Variable "$kind" got invalid value; The value does not exist in "Kind" enum.'],
    [{ kind: 2 }, 'Variable "$kind" got invalid value; Enum "Kind" cannot represent non-string value.'],
    [{ of: "hunter2" }, 'Variable "$of" got invalid value; Expected type "Of" to be an object.'],
    [
      { of: { name: "x", deep: { name: ["hunter2"] } } },
      'Variable "$of" got invalid value at "of.deep.name"; String cannot represent a non string value.',
    ],
    [
      { of: { name: "x", object: "hunter2: yes" } },
      'Variable "$of" got invalid value at "of.object"; Object cannot represent non-object value.',
    ],
    [
      { of: { object: "hunter2" } },
      'Variable "$of" got invalid value; Field "name" of required type "String!" was not provided.',
    ],
  ])("repeats no value of the variables %j", (variables, expectedText) => {
    const text =
      "query ($text: String, $number: Int, $kind: Kind, $of: Of) { a(text: $text, number: $number, kind: $kind, of: $of) }";
    const { variableDefinitions = [] } = getOperationAST(parse(text)) as OperationDefinitionNode;
    const { errors = [] } = getVariableValues(schema, variableDefinitions, variables);
    const messages = errors.map(({ message }) => withoutCallerValues(message));
    expect(messages).toContain(expectedText);
    expect(messages.join()).not.toContain("hunter2");
  });

  it.each([
    '{ a(text: { x: "hunter2" }) }',
    '{ a(number: "hunter2") }',
    '{ a(kind: "hunter2") }',
    '{ a(of: "hunter2") }',
    '{ a(any: "hunter2; no") }',
    '{ a(flag: "hunter2") }',
    '{ a(list: ["hunter2"]) }',
    '{ a(of: { name: ["hunter2"] }) }',
  ])("repeats no literal of the document %s", (text) => {
    const messages = validate(schema, parse(text)).map(({ message }) => withoutCallerValues(message));
    expect(messages.length).toBeGreaterThan(0);
    for (const message of messages) expect(message).toMatch(/^[^;]*[\w"]\.$/);
    expect(messages.join()).not.toContain("hunter2");
  });

  it.each([
    ['{ "hunter2" }', "Syntax Error: Expected Name, found String."],
    ['{ a(text: "hunter2" "hunter2") }', "Syntax Error: Expected Name, found String."],
    ['{ a(text: """hunter2 ".""") ', "Syntax Error: Expected Name, found <EOF>."],
    ["{ 123 }", "Syntax Error: Expected Name, found Int."],
  ])("repeats no string of a document that is not GraphQL: %s", (text, expectedText) => {
    expect(() => parse(text)).toThrow();
    try {
      parse(text);
    } catch (error) {
      expect(withoutCallerValues((error as Error).message)).toBe(expectedText);
    }
  });

  it("leaves other messages as they are", () => {
    for (const message of ['Cannot query field "name" on type "Of".', 'Unknown argument "x" on field "Query.a".'])
      expect(withoutCallerValues(message)).toBe(message);
  });
});
