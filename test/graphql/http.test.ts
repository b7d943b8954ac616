import { documentLimits } from "@factory/gateway/limits/document-limits";
import { graphql, request } from "../kit/request.js";
import { aTemplateVersion } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

let token: string;

beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
});

interface Answer {
  data?: Record<string, unknown> | null;
  errors?: { message: string; extensions: { code: string } }[];
}

const get = (
  parameters: Record<string, string>,
  options: { token?: undefined; headers?: Record<string, string> } = {},
) => request<Answer>(`GET /graphql?${new URLSearchParams(parameters).toString()}`, { token, ...options });

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => part(at)).join(" ");

describe("GraphQL over HTTP", () => {
  it("answers a query by POST and by GET, with the trace of the request", async () => {
    const query =
      "query Q($id: ID!) { template(templateId: $id) { name allVersions { semanticVersion template { name } } } }";
    const { templateId } = await aTemplateVersion(token, "stored://unresolved");
    const postAnswer = await graphql(query, { token, variables: { id: templateId } });
    expect(postAnswer.status).toBe(200);
    expect(postAnswer.headers.get("x-trace-id")).toMatch(/^[0-9a-f]{32}$/);
    expect(postAnswer.body).toMatchObject({ data: { template: { allVersions: [{ semanticVersion: "1.0.0" }] } } });
    const getAnswer = await get({ query, variables: JSON.stringify({ id: templateId }), operationName: "Q" });
    expect([getAnswer.status, getAnswer.body]).toEqual([200, postAnswer.body]);
  });

  it("counts requests without a token by address, for every kind of request", async () => {
    for (const query of ["{ __typename }", "{ __schema { queryType { name } } }", "{", "{ nothing }"]) {
      const { headers } = await graphql(query);
      expect(headers.get("ratelimit")).toMatch(/^"anonymous";r=\d+;/);
    }
  });

  it("takes no cookie in place of the bearer token", async () => {
    const answer = await get(
      { query: "{ me { subject } }" },
      { token: undefined, headers: { cookie: `token=${token}` } },
    );
    expect([answer.status, answer.body.errors?.map(({ extensions }) => extensions.code)]).toEqual([
      401,
      ["UNAUTHENTICATED"],
    ]);
  });

  it("compresses the answer to a query, but not to a mutation, which may show a new secret", async () => {
    const text = "x".repeat(190);
    const fields = times(20, (at) => `a${at}: registerTemplate(input: { name: "${at} ${text}" }) { name }`);
    const mutation = await graphql(`mutation { ${fields} }`, { token });
    expect([mutation.status, mutation.headers.get("content-encoding")]).toEqual([200, null]);
    const query = await graphql("{ templates { items { name } } }", { token });
    expect([query.status, query.headers.get("content-encoding")]).toEqual([200, expect.stringMatching(/^(br|gzip)$/)]);
  });

  it("refuses mutations by GET", async () => {
    const name = `By GET ${Math.random()}`;
    const query = `mutation { registerTemplate(input: { name: "${name}" }) { templateId } }`;
    const answer = await get({ query });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect((await request("POST /v1/templates", { token, body: { name } })).status).toBe(201);
  });

  it("runs a mutation once for one Idempotency-Key", async () => {
    const document = `mutation { registerTemplate(input: { name: "Keyed ${Math.random()}" }) { templateId } }`;
    const send = () => graphql(document, { token, headers: { "idempotency-key": `graphql-${document.length}` } });
    const [first, again] = [await send(), await send()];
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body.data).toEqual(first.body.data);
  });

  it("returns a domain error with its code, its fields and the trace id", async () => {
    const document = `mutation { registerTemplate(input: { name: "${"x".repeat(201)}" }) { templateId } }`;
    const { body, headers } = await graphql(document, { token });
    expect(body.errors?.[0]).toMatchObject({
      path: ["registerTemplate"],
      extensions: {
        code: "VALIDATION_FAILED",
        errors: [{ pointer: "/input/name", code: "TOO_LONG" }],
        traceId: headers.get("x-trace-id"),
      },
    });
    expect(JSON.stringify(body)).not.toContain("stack");
  });

  it("shows GraphiQL to a browser without requests to other hosts", async () => {
    const { status, text } = await request("GET /graphql", { headers: { accept: "text/html" } });
    expect(status).toBe(200);
    expect(text).toContain("<html");
    expect(text).not.toMatch(/(src|href)=["'](https?:)?\/\//);
  });

  it.each([
    ["a batch", { raw: `[{"query":"{ __typename }"},{"query":"{ __typename }"}]` }],
    ["no query", { raw: "{}" }],
    ["a query that is a number", { raw: `{"query":7}` }],
    ["variables that are a list", { raw: `{"query":"{ __typename }","variables":[]}` }],
    ["broken JSON", { raw: "{" }],
    ["an unknown operation", { raw: `{"query":"query A { __typename }","operationName":"B"}` }],
    ["two operations without an operationName", { raw: `{"query":"query A { __typename } query B { __typename }"}` }],
    ["a form", { raw: "query={__typename}", headers: { "content-type": "application/x-www-form-urlencoded" } }],
    ["plain text", { raw: "{ __typename }", headers: { "content-type": "text/plain" } }],
  ])("refuses %s", async (_, options) => {
    const answer = await request<Answer>("POST /graphql", { token, ...options });
    expect(answer.status).toBeLessThan(500);
    expect(answer.status === 200 ? answer.body.errors?.length : answer.status).toBeGreaterThan(0);
    expect(answer.status === 200 ? answer.body.data : null).toBeFalsy();
    expect(answer.headers.get("x-trace-id")).toMatch(/^[0-9a-f]{32}$/);
  });

  it("answers a subscription with the advice to use a stream", async () => {
    const { body } = await graphql<Answer>("subscription { events { type } }", { token });
    expect(body.errors).toMatchObject([
      {
        message:
          "A subscription needs a stream. Send the header Accept: text/event-stream, or open a websocket with the protocol graphql-transport-ws to the same address.",
      },
    ]);
  });
});

describe("the limits of a document", () => {
  const { maxAliases, maxDepth, maxRootFields, maxTokens, maxBytes } = documentLimits;
  const template = (selection: string) => `{ template(templateId: "x") { ${selection} } }`;
  const deep = `${"allVersions { template { ".repeat(maxDepth)} name ${"} }".repeat(maxDepth)}`;

  it.each([
    ["aliases", template(times(maxAliases + 1, (at) => `a${at}: name`))],
    ["levels", template(deep)],
    ["root fields", `{ ${times(maxRootFields + 1, () => "__typename")} }`],
    ["levels inside fragments", `${template("...A")} fragment A on Template { ${deep} }`],
    ["text", `{ __typename } # ${"x".repeat(maxBytes)}`],
    ["an alias that reaches a prototype", template("__proto__: name")],
  ])("hold: %s", async (_, document) => {
    const { status, body } = await graphql(document, { token });
    expect([status, body.errors?.[0]?.extensions.code]).toEqual([400, "TOO_COMPLEX"]);
  });

  it("are checked in the parser for the number of tokens", async () => {
    const { status, body } = await graphql(template("name ".repeat(maxTokens)), { token });
    expect([status, body.errors?.map(({ extensions }) => extensions.code)]).toEqual([400, ["TOO_COMPLEX"]]);
  });

  it("apply to fragments that spread each other", async () => {
    const cycle = "fragment A on Template { ...B } fragment B on Template { ...A }";
    expect((await graphql(`${template("...A")} ${cycle}`, { token })).status).toBe(400);
    const levels = times(20, (at) => `fragment F${at} on Template { ...F${at + 1} ...F${at + 1} }`);
    const bomb = `${template("...F0")} ${levels} fragment F20 on Template { name }`;
    const startedAt = Date.now();
    expect((await graphql(bomb, { token })).status).toBeLessThan(500);
    expect(Date.now() - startedAt).toBeLessThan(15_000);
  });
});
