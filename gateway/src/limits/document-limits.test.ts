import { buildSchema, getIntrospectionQuery, parse, validate } from "graphql";
import { documentLimits, limitProblem } from "./document-limits.js";

function detail(text: string, variables?: Record<string, unknown>): string | undefined {
  return limitProblem(parse(text), Buffer.byteLength(text), undefined, variables)?.detail;
}

const nestedText = (levels: number, inside = "x"): string =>
  `${"a { ".repeat(levels - 1)}${inside}${" }".repeat(levels - 1)}`;
const times = (count: number, each: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => each(index)).join(" ");

describe("limits of ad-hoc documents", () => {
  it("let an ordinary document through", () => {
    expect(
      detail(
        "query Q($first: Int) { templates(first: $first) { items { id name versions(limit: 20) { items { id } } } nextCursor } }",
      ),
    ).toBeUndefined();
  });

  it("bound bytes and tokens", () => {
    const document = parse("{ x }");
    expect(limitProblem(document, documentLimits.maxBytes)).toBeUndefined();
    expect(limitProblem(document, documentLimits.maxBytes + 1)).toEqual({
      detail: "The document has 32769 bytes, and at most 32768 are allowed. Send a smaller document.",
    });
    expect(limitProblem(document, 5, 2000)).toBeUndefined();
    expect(limitProblem(document, 5, 2001)?.detail).toContain("2001 tokens");
  });

  it("bound depth, through fragments too, but not inside introspection", () => {
    expect(detail(`{ ${nestedText(12)} }`)).toBeUndefined();
    expect(detail(`{ ${nestedText(13)} }`)).toContain("13 levels");
    expect(detail(`{ ${nestedText(7, "...F")} } fragment F on T { ... on U { ${nestedText(6)} } }`)).toBeUndefined();
    expect(detail(`{ ${nestedText(7, "...F")} } fragment F on T { ... on U { ${nestedText(7)} } }`)).toContain(
      "13 levels",
    );
    expect(detail(getIntrospectionQuery())).toBeUndefined();
  });

  it("bound aliases, counting every spread of a fragment", () => {
    expect(detail(`{ o { ${times(30, (index) => `a${index}: x`)} } }`)).toBeUndefined();
    expect(detail(`{ o { ${times(31, (index) => `a${index}: x`)} } }`)).toContain("31 aliases");
    expect(
      detail(
        "{ o { ...F p { ...F } q { ...F } r { ...F } } } fragment F on T { a: x b: x c: x d: x e: x f: x g: x h: x }",
      ),
    ).toContain("32 aliases");
  });

  it("bound root fields, through fragments too", () => {
    expect(detail(`{ ${times(20, (index) => `f${index}`)} }`)).toBeUndefined();
    expect(detail(`{ f ...R } fragment R on Query { ${times(20, (index) => `f${index}`)} }`)).toContain(
      "21 root fields",
    );
  });

  it("bound every operation of the document", () => {
    expect(detail(`query A { x } query B { ${nestedText(13)} }`)).toContain("13 levels");
  });

  it("bound cost by list lengths, up to a cap", () => {
    const lists = (length: string) =>
      `{ a(first: ${length}) { b(limit: ${length}) { c(last: ${length}) { ${times(4, (i) => `s${i}`)} } } } }`;
    expect(detail(lists("20"))).toBeUndefined();
    expect(detail(lists("200"))).toContain("cost points");
    expect(detail(lists("999999999999"))).toBe(detail(lists("200")));
    expect(detail(lists("-5"))).toBeUndefined();
  });

  it("take list lengths from variables, the longest where they are unknown", () => {
    const text = `query Q($n: Int = 20) { a(first: $n) { b(first: $n) { c(first: $n) { ${times(4, (i) => `s${i}`)} } } } }`;
    expect(detail(text)).toContain("cost points");
    expect(detail(text, {})).toBeUndefined();
    expect(detail(text, { n: 10 })).toBeUndefined();
    expect(detail(text, { n: 200 })).toContain("cost points");
    expect(detail(text, { n: "many" })).toBeUndefined();
  });

  it.each(["__proto__", "constructor", "prototype"])("refuse %s as an alias or a variable", (name) => {
    expect(detail(`{ ${name}: x }`)).toBe(`The alias ${name} is not allowed. Use another alias.`);
    expect(detail(`{ y } fragment F on T { o { ${name}: x } }`)).toBe(
      `The alias ${name} is not allowed. Use another alias.`,
    );
    expect(detail(`query Q($${name}: Int) { x(a: $${name}) }`)).toBe(
      `The variable name ${name} is not allowed. Use another name.`,
    );
  });

  it("refuse to call another field __typename", () => {
    expect(detail("{ me { __typename: name } }")).toBe("The alias __typename is not allowed. Use another alias.");
    expect(detail("{ me { __typename } }")).toBeUndefined();
  });

  it("end on fragment cycles and on spreads that double at every level", () => {
    expect(detail("{ ...A } fragment A on T { x ...B } fragment B on T { y ...A }")).toBeUndefined();
    expect(detail("{ ...Gone }")).toBeUndefined();
    const doubling = times(60, (index) => `fragment F${index} on T { ...F${index + 1} ...F${index + 1} }`);
    expect(detail(`{ o { ...F0 } } ${doubling} fragment F60 on T { x }`)).toContain("cost points");
  });

  it("leave nested introspection to validation, which refuses it", () => {
    const text =
      "{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }";
    expect(detail(text)).toBeUndefined();
    expect(validate(buildSchema("type Query { x: Int }"), parse(text))).not.toEqual([]);
    expect(detail(`{ ${times(6, (index) => `s${index}: __schema { types { name } }`)} }`)).toContain("cost points");
  });
});
