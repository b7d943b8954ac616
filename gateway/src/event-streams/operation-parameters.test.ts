import { operationParameters } from "./operation-parameters.js";

const query = "{ me { id } }";
const absent = {
  ...{ query: undefined, documentId: undefined, extensions: undefined },
  ...{ operationName: undefined, variables: {} },
};
const post = (body: unknown) => operationParameters({ method: "POST", search: "", body });
const get = (members: Record<string, string>) =>
  operationParameters({ method: "GET", search: `?${new URLSearchParams(members).toString()}`, body: undefined });

describe("the parameters of a request", () => {
  it("come from the body, and by GET from the URL", () => {
    const parameters = { query, documentId: "x", extensions: { a: 1 }, operationName: "A", variables: { id: 1 } };
    expect(post(parameters)).toEqual(parameters);
    const texts = { query, documentId: "x", extensions: '{"a":1}', operationName: "A", variables: '{"id":1}' };
    expect(get(texts)).toEqual(parameters);
  });

  it("may be absent, null or empty, except the query", () => {
    const alone = { ...absent, query };
    expect(post({ query })).toEqual(alone);
    expect(post({ query, operationName: null, variables: null, extensions: null })).toEqual(alone);
    expect(get({ query, operationName: "", variables: "" })).toEqual(alone);
    expect(get({ query, variables: "null" })).toEqual(alone);
  });

  it("may name a persisted document in place of the query", () => {
    expect(post({ documentId: "x" })).toEqual({ ...absent, documentId: "x" });
    expect(post({ query: "", documentId: "x" })).toEqual({ ...absent, documentId: "x" });
    const extensions = { persistedQuery: { version: 1, sha256Hash: "x" } };
    expect(post({ extensions })).toEqual({ ...absent, extensions });
    expect(get({ extensions: JSON.stringify(extensions) })).toEqual({ ...absent, extensions });
  });

  it.each([
    ["no body", undefined],
    ["a list", [{ query }]],
    ["a text", query],
    ["no query", {}],
    ["an empty query", { query: "" }],
    ["a query that is a number", { query: 7 }],
    ["a documentId that is a number", { documentId: 7 }],
    ["a documentId beside a query that is a number", { query: 7, documentId: "x" }],
    ["extensions that are a list", { query, extensions: [] }],
    ["extensions that name nothing", { extensions: {} }],
    ["a name that is a number", { query, operationName: 7 }],
    ["variables that are a list", { query, variables: [] }],
    ["variables that are a text", { query, variables: "{}" }],
  ])("are refused: %s", (_, body) => {
    expect(() => post(body)).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
  });

  it.each(["{", "[]", "7"])("are refused by GET for the variables %s", (variables) => {
    expect(() => get({ query, variables })).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
  });
});
