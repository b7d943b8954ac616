import type { JsonObject } from "@factory/template-engine/json-value";
import { unread } from "./derived-check.js";

const several = (choices: readonly string[]) => ({
  type: "object",
  properties: { A: { type: "array", items: { type: "string", enum: choices }, uniqueItems: true } },
});

describe("parameters of a template with a derived schema", () => {
  it("are left to the schema only where the template does not read them", () => {
    const schema = {
      type: "object",
      properties: { A: { type: "integer" }, B: { type: "boolean" }, name: { type: "string" } },
      required: ["A", "B", "C"],
    };
    const rest = unread(schema, { A: "7", B: "yes", D: 1, language: 2, name: 3 }, new Set(["language"]));
    expect(rest).toEqual({
      schema: { ...schema, required: ["B", "C"] },
      parameters: { B: "yes", D: 1, name: 3 },
    });
    expect(unread({ type: "object" }, { a: "1" }, new Set())).toEqual({
      schema: { type: "object" },
      parameters: { a: "1" },
    });
  });

  it("are compared with each choice a few times only, and have at most 100 refused items", () => {
    const count = 30_000;
    let reads = 0;
    const choices = new Proxy(
      Array.from({ length: count }, (_, at) => `${at}.`),
      {
        get: (target, key, receiver) => {
          reads += 1;
          return Reflect.get(target, key, receiver);
        },
      },
    );
    const schema = several(choices) as JsonObject;
    const parts = Array.from({ length: 200_000 }, (_, at) => `${at % count}.`);
    expect(unread(schema, { A: parts.join("|") }, new Set()).parameters).toEqual({});
    expect(unread(schema, { A: parts }, new Set()).parameters).toEqual({});
    const unknown = parts.map((part) => `${part}x`);
    const parameters = [unknown.join(","), unknown].map((A) => unread(schema, { A }, new Set()).parameters);
    expect(parameters).toEqual([{ A: unknown.slice(0, 100) }, { A: unknown.slice(0, 100) }]);
    expect(reads).toBeLessThan(4 * 2 * count);
  });

  it("keep the places of the refused items of a list", () => {
    const { schema, parameters } = unread(several(["a", "b"]), { A: ["B", "b", "a|x", {}, "y"] }, new Set());
    expect(parameters).toEqual({ A: ["a", "a", "x", {}, "y"] });
    expect(schema).toMatchObject({ properties: { A: { uniqueItems: false } } });
  });
});
