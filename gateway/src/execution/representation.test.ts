import type { QueryPlanSelectionNode } from "@apollo/query-planner";
import { buildSchema } from "graphql";
import { compileRepresentation, representationKey } from "./representation.js";

describe("the key of a representation", () => {
  it.each([
    [
      { __typename: "User", id: "1" },
      { __typename: "User", id: 1 },
    ],
    [
      { a: "1", b: "2" },
      { a: "12", b: "" },
    ],
    [{ a: ["1", "2"] }, { a: ["12"] }],
    [
      { a: ["1"], b: [] },
      { a: [], b: ["1"] },
    ],
    [{ a: "s1:x" }, { a: "x" }],
    [{ a: null }, { a: "null" }],
    [{ a: {} }, { a: [] }],
    [{ a: { b: 1 } }, { a: { c: 1 } }],
    [{ at: new Date(1) }, { at: new Date(2) }],
    [{ n: 1n }, { n: 1 }],
    [{ b: true }, { b: "t" }],
  ])("differs for %p and %p", (first, other) => {
    expect(representationKey(first)).not.toBe(representationKey(other));
  });

  it("is equal for equal values of any depth", () => {
    const value = () => ({ __typename: "User", id: "1", nested: { list: [1, null, { deep: true }] }, at: new Date(5) });
    expect(representationKey(value())).toBe(representationKey(value()));
    expect(representationKey(value())).toBeDefined();
  });

  it("is missing when something cannot be compared", () => {
    expect(representationKey({ id: "1", data: new Map([[1, 2]]) })).toBeUndefined();
  });
});

describe("a representation", () => {
  const schema = buildSchema(`
    type Query { node: Node }
    interface Node { id: ID! }
    type User implements Node { id: ID! size: Size parts: [Size] }
    type Size { w: Int h: Int }
  `);
  const field = (name: string, selections?: QueryPlanSelectionNode[]): QueryPlanSelectionNode =>
    selections ? { kind: "Field", name, selections } : { kind: "Field", name };
  const on = (typeCondition: string, ...selections: QueryPlanSelectionNode[]): QueryPlanSelectionNode => ({
    kind: "InlineFragment",
    typeCondition,
    selections,
  });
  const typename = field("__typename");

  it("holds what is required, for the types that match", () => {
    const represent = compileRepresentation(schema, [
      on("Node", typename, field("id")),
      on("User", field("size", [field("w")]), field("parts", [field("h")])),
      on("Size", field("w")),
    ]);
    const user = { __typename: "User", id: "1", extra: 1, size: { w: 1, h: 2 }, parts: [{ h: 3 }, null] };
    expect(represent(user)).toEqual({ __typename: "User", id: "1", size: { w: 1 }, parts: [{ h: 3 }, null] });
    expect(represent({ __typename: "Size", w: 1 })).toBeNull();
    expect(represent({ id: "1" })).toBeNull();
  });

  it("is left out when a required field is missing", () => {
    const represent = compileRepresentation(schema, [on("User", typename, field("id"), field("size", [field("w")]))]);
    expect(represent({ __typename: "User", id: "1" })).toBeNull();
    expect(represent({ __typename: "User", id: "1", size: null })).toEqual({ __typename: "User", id: "1", size: null });
  });

  it("never takes a field from a prototype", () => {
    const represent = compileRepresentation(schema, [on("User", typename, field("constructor"))]);
    expect(represent({ __typename: "User" })).toBeNull();
  });
});
