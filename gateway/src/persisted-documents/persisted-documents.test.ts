import { buildSchema } from "graphql";
import { sha256Id } from "./document-file.js";
import { PersistedDocuments } from "./persisted-documents.js";

const text = "{ a }";
const id = sha256Id(text);
const sha256Hash = id.slice("sha256:".length);
const documents = new Map([
  ["short", text],
  [id, text],
  [sha256Hash, text],
]);
const open = new PersistedDocuments(documents);
const only = new PersistedDocuments(documents, true);
const hashed = (hash: unknown) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: hash } } });
const notFound = expect.objectContaining({ code: "PERSISTED_QUERY_NOT_FOUND" });

describe("a request's document", () => {
  it.each([
    ["documentId", { documentId: id }],
    ["documentId beside an empty text", { documentId: "short", query: "" }],
    ["Apollo's hash", hashed(sha256Hash)],
    ["its own text", { query: text }],
  ])("is found by %s", (_, request) => {
    expect(open.textOf(request)).toBe(text);
    expect(only.textOf(request)).toBe(text);
  });

  it.each([
    ["an unknown documentId", { documentId: "unknown" }],
    ["an unknown documentId beside a text", { documentId: "unknown", query: text }],
  ])("is refused for %s", (_, request) => {
    expect(() => open.textOf(request)).toThrow(notFound);
    expect(() => only.textOf(request)).toThrow(notFound);
  });

  it.each([
    ["another text", { query: "{ b }" }],
    ["a changed text", { query: `${text} ` }],
    ["an unknown hash", hashed("0")],
    ["an unknown hash with its text", { ...hashed(sha256Id("{ b }").slice(7)), query: "{ b }" }],
    ["a hash that is no text", { ...hashed(7), query: text }],
    ["introspection", { query: "{ __schema { queryType { name } } }" }],
  ])("is refused for %s where only persisted documents are served", (_, request) => {
    expect(() => only.textOf(request)).toThrow(notFound);
  });

  it("is the request's text otherwise, and an unknown hash may be known elsewhere", () => {
    expect(open.textOf({ query: "{ b }" })).toBe("{ b }");
    expect(open.textOf({ ...hashed("0"), query: "{ b }" })).toBe("{ b }");
    expect(open.textOf(hashed("0"))).toBeUndefined();
    expect(() => open.knownTextOf(hashed("0"))).toThrow(notFound);
    expect(only.textOf({})).toBeUndefined();
    expect(open.knownTextOf({ query: "" })).toBe("");
  });
});

describe("documents and the graph", () => {
  const schema = buildSchema("type Query { a: Int }");
  const fit = (query: string, introspection: boolean) =>
    new PersistedDocuments(new Map([["x", query]])).requireFit(schema, introspection);

  it("fit or name the document that does not", async () => {
    await open.requireFit(schema, true);
    await expect(fit("{ b }", true)).rejects.toThrow("The document x does not fit the graph: Cannot query field");
  });

  it("fit with introspection only where it is served", async () => {
    await fit("{ __schema { queryType { name } } }", true);
    await expect(fit("{ __schema { queryType { name } } }", false)).rejects.toThrow("The document x does not fit");
  });
});
