import { inSchemaForm } from "./schema-values.js";

const choices = { type: "string", enum: ["net8.0", "net9.0", "net9.0-windows"] };
const properties = {
  Text: { type: "string" },
  Any: { type: ["string", "number", "boolean"] },
  Flag: { type: "boolean", default: false },
  Port: { type: "integer" },
  Ratio: { type: "number" },
  Framework: choices,
  Several: { type: "array", items: choices, uniqueItems: true },
};
const form = (parameters: Record<string, unknown>) => inSchemaForm({ type: "object", properties }, parameters);

describe("parameters of a template with a derived schema", () => {
  it.each<[object, object]>([
    [{ Text: 8080 }, { Text: "8080" }],
    [{ Any: 8080 }, { Any: 8080 }],
    [{ Flag: "True" }, { Flag: true }],
    [{ Flag: null }, { Flag: false }],
    [{ Port: "8080" }, { Port: 8080 }],
    [{ Ratio: "0.5" }, { Ratio: 0.5 }],
    [{ Framework: "NET8.0" }, { Framework: "net8.0" }],
    [{ Framework: "net9.0" }, { Framework: "net9.0" }],
    [{ Framework: "net9.0-W" }, { Framework: "net9.0-windows" }],
    [{ Several: "NET8.0|net9.0" }, { Several: ["net8.0", "net9.0"] }],
    [{ Several: ["net8"] }, { Several: ["net8.0"] }],
  ])("are checked as the schema writes them: %j", (given, expected) => {
    expect(form({ ...given })).toEqual(expected);
  });

  it.each([
    { Flag: "yes" },
    { Port: "many" },
    { Port: 1.5 },
    { Framework: "net" },
    { Framework: {} },
    { Other: "NET8" },
  ])("stay as they are where the template would refuse them too: %j", (given) => {
    expect(form({ ...given })).toEqual(given);
  });

  it("stay as they are without any property", () => {
    expect(inSchemaForm({ type: "object" }, { a: "1" })).toEqual({ a: "1" });
  });
});
