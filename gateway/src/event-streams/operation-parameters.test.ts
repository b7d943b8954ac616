import { operationParameters } from "./operation-parameters.js";

const query = "{ me { id } }";
const post = (body: unknown) => operationParameters({ method: "POST", search: "", body });
const get = (members: Record<string, string>) =>
  operationParameters({ method: "GET", search: `?${new URLSearchParams(members).toString()}`, body: undefined });

describe("the parameters of a request", () => {
  it("come from the body, and by GET from the URL", () => {
    const parameters = { query, operationName: "A", variables: { id: 1 } };
    expect(post(parameters)).toEqual(parameters);
    expect(get({ query, operationName: "A", variables: '{"id":1}' })).toEqual(parameters);
  });

  it("may be absent, null or empty, except the query", () => {
    const alone = { query, operationName: undefined, variables: {} };
    expect(post({ query })).toEqual(alone);
    expect(post({ query, operationName: null, variables: null, extensions: null })).toEqual(alone);
    expect(get({ query, operationName: "", variables: "" })).toEqual(alone);
    expect(get({ query, variables: "null" })).toEqual(alone);
  });

  it.each([
    ["no body", undefined],
    ["a list", [{ query }]],
    ["a text", query],
    ["no query", {}],
    ["an empty query", { query: "" }],
    ["a query that is a number", { query: 7 }],
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
