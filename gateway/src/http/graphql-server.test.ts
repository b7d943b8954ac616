import { createHash } from "node:crypto";
import { HeaderMap } from "@apollo/server";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import type { AdHocOperations } from "../ad-hoc-documents/ad-hoc-operations.js";
import type { RateLimits } from "../admission/operation-charge.js";
import { aPrincipal } from "../admission/principal.fixture.js";
import { openShop } from "../execution/shop.fixture.js";
import { startGateway, type TestGateway } from "../supergraph/gateway.fixture.js";
import type { GraphqlServer } from "./graphql-server.js";

const principal = aPrincipal();

let gateway: TestGateway;
let operations: AdHocOperations;
let server: GraphqlServer;
/** Points by class. */
let spentPoints: Record<string, number> = {};
const allowedPoints: Record<string, number> = { invalid: 3 };

beforeAll(async () => {
  const shop = openShop();
  const spend = async (name: string, points: number) => {
    spentPoints[name] = (spentPoints[name] ?? 0) + points;
    return { exceeded: (spentPoints[name] ?? 0) > (allowedPoints[name] ?? 100), seconds: 7 };
  };
  const limits: RateLimits = {
    spend: (rate, _principal, points) => spend(rate, points),
    charge: (rate, _principal, points) => void spend(rate, points),
    spendAnonymous: (_address, points) => spend("anonymous", points),
  };
  gateway = await startGateway(shop, { limits });
  ({ server } = gateway);
  operations = gateway.graphs.current.operations;
});

afterAll(async () => {
  await gateway.close();
});

beforeEach(() => {
  spentPoints = {};
});

const graphqlResponse = "application/graphql-response+json";

function ask(query: string, { anonymous = false, accept = graphqlResponse } = {}) {
  const headers = new HeaderMap([
    ["content-type", "application/json"],
    ["accept", accept],
  ]);
  const context = requestContext({
    principal: anonymous ? undefined : principal,
    address: "192.0.2.1",
    trace: continueTrace(undefined),
  });
  return server.execute({ method: "POST", headers, search: "", body: { query } }, context);
}

describe("an answer over HTTP", () => {
  it.each([
    ["a query", "{ me { id } }", true],
    ["a query that may show a secret", "{ me { authorizationUrl: id } }", false],
    ["an invalid document", "{", false],
  ])("to %s may be compressed: %s", async (_, query, mayBeCompressed) => {
    expect((await ask(query)).mayBeCompressed).toBe(mayBeCompressed);
  });
});

describe("the status of a refused document", () => {
  const refusedDocuments = [
    "{",
    "{ nothing }",
    "query A { me { id } } query B { me { id } }",
    "query ($id: ID!) { user(id: $id) { id } }",
  ];

  it.each([
    [graphqlResponse, 400],
    ["application/json", 200],
    ["*/*", 200],
  ])("is by media type, for Accept: %s", async (accept, status) => {
    for (const query of refusedDocuments) {
      const answer = await ask(query, { accept });
      expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { errors: expect.any(Array) }]);
    }
  });

  it("is 400 for a request that has no document", async () => {
    expect((await ask("", { accept: "application/json" })).status).toBe(400);
  });
});

describe("the charge of a document over HTTP", () => {
  it.each([
    ["does not parse", "{"],
    ["is not valid", "{ nothing }"],
    ["holds no operation", "fragment A on User { id }"],
  ])("is one invalid document of the tenant when it %s", async (_, query) => {
    expect((await ask(query)).status).toBe(400);
    expect(spentPoints).toEqual({ invalid: 1 });
  });

  it("is one read for __typename and for introspection", async () => {
    await ask("{ __typename }");
    await ask("{ __schema { queryType { name } } }");
    expect(spentPoints).toEqual({ invalid: 0, read: 2 });
  });

  it("is refused unread once the tenant has sent too many invalid documents", async () => {
    for (let times = 0; times < 4; times += 1) await ask("{");
    await expect(ask("{ me { id } }")).rejects.toMatchObject({
      code: "RATE_LIMITED",
      facts: { retryAfterSeconds: 7 },
    });
    expect(spentPoints).toMatchObject({ invalid: 4 });
  });

  it("is by address for what follows the first root field, where there is no token", async () => {
    await ask("{ a: __typename b: __typename }", { anonymous: true });
    await ask("{", { anonymous: true });
    expect(spentPoints).toEqual({});
  });
});

describe("what is kept of a document over HTTP", () => {
  const digestOf = (query: string) => createHash("sha256").update(query).digest("hex");

  it("is in the one cache: Apollo finds it there and keeps nothing of its own", async () => {
    const before = operations.held.documents;
    const query = "{ me { id name } }";
    for (let times = 0; times < 3; times += 1) expect((await ask(query)).status).toBe(200);
    expect(operations.held.documents).toBe(before + 1);
    expect(operations.document(digestOf(query))).toBeDefined();
  });

  it("is nothing of what is refused", async () => {
    const before = operations.held.documents;
    await ask("{ me { nothing } }");
    await ask("fragment A on User { id }");
    expect(operations.held.documents).toBe(before);
    expect(operations.document(digestOf("{ me { nothing } }"))).toBeUndefined();
  });
});
