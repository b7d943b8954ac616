import { parseValue } from "graphql";
import { literalProblem, valueLimits, variablesProblem } from "./value-limits.js";

const { maxDepth, maxNodes } = valueLimits;
const nestedText = (levels: number, inside = "") => `${"[".repeat(levels)}${inside}${"]".repeat(levels)}`;
const nestedValue = (levels: number): unknown => JSON.parse(nestedText(levels));

/** As the catalog counts it: the schema itself is the first level. */
function parameterSchema(levels: number, properties: number): object {
  let deepest: object = {};
  for (let level = levels; level > 1; level -= 2) deepest = { properties: { inner: deepest } };
  const namedSchemas = Object.fromEntries(
    Array.from({ length: properties - levels / 2 }, (_, at) => [
      `P${at}`,
      { type: "string", title: "A title", description: "What it is for.", default: "x", enum: ["x", "y", "z"] },
    ]),
  );
  return { type: "object", properties: { ...namedSchemas, ...deepest } };
}

describe("limits of values", () => {
  it("bound the levels of a literal, of lists and of objects", () => {
    expect(literalProblem(parseValue(nestedText(maxDepth)))).toBeUndefined();
    expect(literalProblem(parseValue(nestedText(maxDepth + 1)))?.detail).toContain("more than 32 levels");
    expect(literalProblem(parseValue(`${"{a:".repeat(33)}1${"}".repeat(33)}`))?.detail).toContain("levels");
    expect(literalProblem(parseValue(nestedText(900)))?.detail).toContain("levels");
  });

  it("bound the values of a literal", () => {
    expect(literalProblem(parseValue(`[${"1 ".repeat(maxNodes - 1)}]`))).toBeUndefined();
    expect(literalProblem(parseValue(`[${"1 ".repeat(maxNodes)}]`))?.detail).toContain("more than 2000 values");
  });

  it("bound the levels and the lists and objects of each variable", () => {
    expect(variablesProblem({ a: nestedValue(36), b: nestedValue(36) })).toBeUndefined();
    expect(variablesProblem({ a: 1, b: nestedValue(37) })?.detail).toContain("The variable b has more than 36 levels");
    expect(variablesProblem({ a: Array.from({ length: maxNodes - 1 }, () => ({})) })).toBeUndefined();
    expect(variablesProblem({ a: Array.from({ length: maxNodes }, () => ({})) })?.detail).toContain("2000 values");
    expect(variablesProblem({ a: nestedValue(100_000) })?.detail).toContain("levels");
  });

  it("let a parameterSchema of 32 levels and 500 properties through as part of a variable", () => {
    const schema = parameterSchema(32, 500);
    expect(variablesProblem({ input: { parameterSchema: schema, semanticVersion: "1.0.0" } })).toBeUndefined();
  });
});
