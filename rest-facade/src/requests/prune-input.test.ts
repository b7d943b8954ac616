import { buildSchema, type GraphQLInputObjectType } from "graphql";
import { pruneChange, pruneInput } from "./prune-input.js";

const schema = buildSchema(`
  scalar JSONObject
  scalar JSON
  input Node { name: String! value: JSON data: JSONObject children: [Node!] grid: [[Node]] }
  type Query { a: Int }
`);
const prune = pruneInput(schema.getType("Node") as GraphQLInputObjectType);

describe("pruneInput", () => {
  it("keeps the members of the type at every depth", () => {
    const value = {
      name: "a",
      x: 1,
      children: [{ name: "b", y: 2, children: [] }],
      grid: [[{ name: "c", z: 3 }, null]],
    };
    expect(prune(value)).toEqual({ name: "a", children: [{ name: "b", children: [] }], grid: [[{ name: "c" }, null]] });
  });

  it("removes null members and keeps scalars unchanged", () => {
    const data = { any: { thing: [null] } };
    expect(prune({ name: "a", children: null, data })).toEqual({ name: "a", data });
  });

  it("keeps null where every JSON value is allowed", () => {
    expect(prune({ name: "a", value: null })).toEqual({ name: "a", value: null });
    expect(prune({ name: "a" })).toEqual({ name: "a" });
  });

  it("never reads or sets a member of a prototype", () => {
    const value: unknown = JSON.parse(
      '{"__proto__":{"name":"inherited"},"constructor":{"name":"x"},"data":{"__proto__":{"p":1}}}',
    );
    const prunedValue = prune(value) as Record<string, unknown>;
    expect(Object.keys(prunedValue)).toEqual(["data"]);
    expect(Object.getPrototypeOf(prunedValue)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(prunedValue["data"])).toBe(Object.prototype);
    expect(prunedValue["p"]).toBeUndefined();
  });
});

describe("pruneChange", () => {
  const change = pruneChange(schema.getType("Node") as GraphQLInputObjectType);

  it("keeps null members of the input itself, since null removes a value", () => {
    expect(change({ name: "a", data: null, children: null, x: null })).toEqual({
      name: "a",
      data: null,
      children: null,
    });
    expect(change({ name: "a" })).toEqual({ name: "a" });
  });

  it("removes null members of nested objects, which are replaced as a whole", () => {
    expect(change({ name: "a", children: [{ name: "b", data: null }] })).toEqual({
      name: "a",
      children: [{ name: "b" }],
    });
  });
});
