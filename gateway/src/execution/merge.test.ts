import { Kind, parse } from "graphql";
import type { Fields } from "../query-planner/own-property.js";
import { fieldShape, mergeFields } from "./merge.js";

function shapeOf(text: string) {
  const document = parse(text);
  const fragments = new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  );
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) {
    throw new Error("The document must start with an operation");
  }
  return fieldShape(operation.selectionSet, fragments);
}

function merged(target: Fields, source: Fields, text: string): Fields {
  mergeFields(target, source, shapeOf(text), false);
  return target;
}

describe("merging what a fetch brought", () => {
  it("goes into objects and lists of equal length", () => {
    expect(
      merged({ a: { x: 1 }, l: [{ x: 1 }, null] }, { a: { y: 2 }, l: [{ y: 2 }, { y: 3 }] }, "{ a { y } l { y } }"),
    ).toEqual({
      a: { x: 1, y: 2 },
      l: [{ x: 1, y: 2 }, { y: 3 }],
    });
  });

  it("replaces scalars whole, whatever they hold", () => {
    const sharedValue = { kept: true };
    expect(merged({ json: sharedValue }, { json: { other: 1 } }, "{ json }")).toEqual({ json: { other: 1 } });
    expect(sharedValue).toEqual({ kept: true });
  });

  it("replaces lists of another length, and values by null", () => {
    expect(merged({ l: [{ x: 1 }], a: { x: 1 } }, { l: [{ y: 1 }, { y: 2 }], a: null }, "{ l { y } a { y } }")).toEqual(
      {
        l: [{ y: 1 }, { y: 2 }],
        a: null,
      },
    );
  });

  it("shares nothing composite when it copies, but keeps scalars as they are", () => {
    const json = { any: 1 };
    const source = { a: { list: [{ y: 1 }], json } };
    const target: Fields = {};
    mergeFields(target, source, shapeOf("{ ...F } fragment F on T { a { ... on U { list { y } } json } }"), true);
    expect(target).toEqual(source);
    const copy = target["a"] as typeof source.a;
    expect(copy).not.toBe(source.a);
    expect(copy.list[0]).not.toBe(source.a.list[0]);
    expect(copy.json).toBe(json);
  });

  it("treats inherited names as ordinary keys", () => {
    const target: Fields = {};
    merged(
      target,
      JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}') as Fields,
      "{ __proto__: a { x } constructor: b { prototype: c { x } } }",
    );
    expect(JSON.stringify(target)).toBe('{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}');
    expect(Object.getPrototypeOf(target)).toBe(Object.prototype);
    expect(({} as Fields)["x"]).toBeUndefined();
  });
});
