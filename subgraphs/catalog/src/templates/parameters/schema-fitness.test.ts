import { schemaFault } from "./schema-fitness.js";
import { everDefined } from "./schema-properties.js";

const remote = "A $ref leaves the schema. Only references inside the schema are followed.";
const nowhere = "A reference of the schema names a part that does not exist.";

describe("schemaFault", () => {
  it.each<[string, object, string, string]>([
    ["an unknown type", { type: "nope" }, "/type", "keyword"],
    [
      "an unknown type deep inside",
      { properties: { "a/b": { items: { type: "nope" } } } },
      "/properties/a~1b/items/type",
      "keyword",
    ],
    ["properties that are a list", { properties: [] }, "/properties", "keyword"],
    ["a pattern that is none", { properties: { A: { pattern: "(" } } }, "/properties/A/pattern", "keyword"],
    [
      "another dialect",
      { $defs: { a: { $schema: "http://json-schema.org/draft-07/schema#" } } },
      "/$defs/a/$schema",
      "2020-12",
    ],
    ["a reference to another host", { $ref: "https://example.com/s.json" }, "/$ref", remote],
    [
      "a reference that nothing leads to",
      { $defs: { a: { allOf: [{ $ref: "https://example.com/s.json" }] } } },
      "/$defs/a/allOf/0/$ref",
      remote,
    ],
    ["a dynamic reference", { items: { $dynamicRef: "https://example.com/s.json#a" } }, "/items/$dynamicRef", remote],
    ["a reference to a file", { properties: { A: { $ref: "file:///etc/passwd" } } }, "/properties/A/$ref", remote],
    [
      "a relative reference to nothing",
      { $id: "https://example.com/own", not: { $ref: "other.json" } },
      "/not/$ref",
      remote,
    ],
    ["a pointer to nothing", { properties: { A: { $ref: "#/$defs/none" } } }, "/properties/A/$ref", nowhere],
    ["an anchor of nothing", { properties: { A: { $ref: "#none" } } }, "/properties/A/$ref", nowhere],
    ["itself without end", { $ref: "#" }, "", "leads back to itself"],
  ])("names %s", async (_, schema, pointer, detail) => {
    expect(await schemaFault(schema as never)).toEqual({ pointer, detail: expect.stringContaining(detail) });
  });

  it.each<[string, object]>([
    ["nothing at all", {}],
    [
      "a reference to an $id inside",
      { $ref: "https://example.com/a", $defs: { a: { $id: "https://example.com/a", type: "object" } } },
    ],
    [
      "a relative one",
      { $id: "https://example.com/own/", properties: { A: { $ref: "b" } }, $defs: { b: { $id: "b" } } },
    ],
    [
      "a name without an address",
      { $id: "urn:example:own", properties: { A: { $ref: "urn:example:own#/$defs/b" } }, $defs: { b: {} } },
    ],
    [
      "an anchor and a pointer through an $id",
      {
        properties: { A: { $ref: "#x" }, B: { $ref: "b#/$defs/c" } },
        $defs: { x: { $anchor: "x" }, b: { $id: "b", $defs: { c: {} } } },
      },
    ],
    ["a dynamic anchor", { properties: { A: { $dynamicRef: "#x" } }, $defs: { x: { $dynamicAnchor: "x" } } }],
    ["a pointer with escapes", { properties: { "a b/c": {}, A: { $ref: "#/properties/a%20b~1c" } } }],
    ["a parameter that is called $ref", { properties: { $ref: { type: "string" }, $id: {} } }],
    [
      "what only looks like a reference",
      {
        default: { $ref: "https://example.com/s" },
        enum: [{ $ref: "file:///a" }],
        "x-own": { $ref: "https://example.com/s" },
      },
    ],
    ["the dialect's own schema", { properties: { A: { $ref: "https://json-schema.org/draft/2020-12/schema" } } }],
    [
      "a tree of itself",
      {
        properties: { A: { $ref: "#/$defs/node" } },
        $defs: { node: { properties: { next: { $ref: "#/$defs/node" } } } },
      },
    ],
  ])("takes %s", async (_, schema) => {
    expect(await schemaFault(schema as never)).toBeUndefined();
  });
});

describe("everDefined", () => {
  it("visits each schema once, however references multiply", () => {
    const level = (to: number) => ({ allOf: Array.from({ length: 20 }, () => ({ $ref: `#/$defs/l${to}` })) });
    const $defs = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`l${index}`, level(index + 1)]));
    const schema = { ...level(0), $defs: { ...$defs, l15: { properties: { deep: {} }, allOf: [{ $ref: "#" }] } } };
    // 20^15 ways lead to it
    expect([...everDefined(schema).keys()]).toEqual(["deep"]);
  });
});
