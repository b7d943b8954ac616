import { documentsOf, sha256Id } from "./document-file.js";

const text = "query A($id: ID!) { user(id: $id) { name } }";
const id = sha256Id(text);
const digits = id.slice("sha256:".length);
const fileOf = (content: unknown) => documentsOf(JSON.stringify(content));

describe("a file of persisted documents", () => {
  it("has the identifier of the specification's example", () => {
    expect(sha256Id("query($id:ID!){user(id:$id){name}}")).toBe(
      "sha256:71f7dc5758652baac68e4a10c50be732b741c892ade2883a99358f52b555286b",
    );
  });

  it.each([
    ["ids with a prefix", { [id]: text }],
    ["ids without it", { [digits]: text }],
    [
      "Apollo's manifest",
      {
        format: "apollo-persisted-query-manifest",
        version: 1,
        operations: [{ id: digits, name: "A", type: "query", body: text }],
      },
    ],
  ])("is read with %s", (_, content) => {
    expect(Object.fromEntries(fileOf(content))).toEqual({ [digits]: text, [id]: text });
  });

  it("may have other ids, and each document is also known by its digest", () => {
    expect(fileOf({ a1b2: text }).get("a1b2")).toBe(text);
    expect(fileOf({ "x-app:1": text }).get(id)).toBe(text);
  });

  it.each([
    ["is no JSON", "{", /It is not JSON/],
    ["is a list", "[]", /must be a JSON object/],
    ["has a manifest of another version", '{"format":"apollo-persisted-query-manifest","version":2}', /version 1/],
    ["has a manifest without operations", '{"format":"apollo-persisted-query-manifest","version":1}', /must be a list/],
    [
      "has a manifest with a broken operation",
      '{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"id":"a"}]}',
      /The operation 0 must have an id and a body/,
    ],
    ["has a document that is a number", '{"a":7}', /The document a must be a text/],
    ["has a document that is no GraphQL", '{"a":"query {"}', /The document a cannot be parsed/],
    [
      "has a document over a limit",
      JSON.stringify({ a: `{ ${"a { ".repeat(20)} b ${"} ".repeat(20)} }` }),
      /too complex/,
    ],
    ["has an empty id", JSON.stringify({ "": text }), /1 to 200 characters/],
    ["has an unknown prefix", JSON.stringify({ "md5:1": text }), /unknown prefix/],
    ["has a digest of another document", JSON.stringify({ [`sha256:${"0".repeat(64)}`]: text }), /is not the SHA-256/],
    [
      "has two documents for one id",
      JSON.stringify({
        format: "apollo-persisted-query-manifest",
        version: 1,
        operations: [
          { id: "a", body: text },
          { id: "a", body: "{ __typename }" },
        ],
      }),
      /Two documents have the id a/,
    ],
  ])("is refused when it %s", (_, fileText, reason) => {
    expect(() => documentsOf(fileText)).toThrow(reason);
  });
});
