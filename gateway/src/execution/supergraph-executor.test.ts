import { jest } from "@jest/globals";
import { type ExecutionResult, type GraphQLSchema, Lexer, parse, validate } from "graphql";
import { OperationPlanner } from "../query-planner/operation-planner.js";
import { localSubgraph } from "../subgraphs/local-subgraph.js";
import type { Subgraph } from "../subgraphs/subgraph.js";
import { openShop, type Shop } from "./shop.fixture.js";
import { SupergraphExecutor } from "./supergraph-executor.js";

function executorOf(shop: Shop, replacements: Record<string, Subgraph<object>> = {}): SupergraphExecutor<object> {
  return new SupergraphExecutor(
    new OperationPlanner(shop.supergraphSdl),
    [...shop.schemas].map(([name, schema]) => replacements[name] ?? localSubgraph(name, schema)),
  );
}

/** A subgraph that answers with whatever it is given, as one on the network may. */
function answering(
  name: string,
  answer: (operation: string) => ExecutionResult | Promise<ExecutionResult>,
): Subgraph<object> {
  return { name, prepare: (operation) => ({ run: () => answer(operation) }) };
}

async function run(executor: SupergraphExecutor<object>, text: string, variables?: Record<string, unknown>) {
  const document = parse(text);
  expect(validate(executor.apiSchema, document)).toEqual([]);
  return executor.compile(document).execute(variables, {});
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("compiling an operation", () => {
  const executor = executorOf(openShop());

  it("keeps the operations of one document apart", async () => {
    const document = parse('query A { me { id } } query B { user(id: "2") { id } }');
    expect((await executor.compile(document, "A").execute({}, {})).data).toEqual({ me: { id: "1" } });
    expect((await executor.compile(document, "B").execute({}, {})).data).toEqual({ user: { id: "2" } });
  });

  it("refuses an operation that the document does not hold", () => {
    const document = parse("query A { me { id } } query B { me { id } }");
    expect(() => executor.compile(document, "C")).toThrow('Unknown operation named "C".');
    expect(() => executor.compile(document)).toThrow("Must provide operation name");
  });

  it("refuses a supergraph with a subgraph that is not connected", () => {
    const shop = openShop();
    expect(() => new SupergraphExecutor(new OperationPlanner(shop.supergraphSdl), [])).toThrow("not connected");
  });

  it("shows the plan", () => {
    const { plan, kind } = executor.compile(parse("{ me { id } }"));
    expect(kind).toBe("query");
    expect(plan.node).toMatchObject({ kind: "Fetch", serviceName: "accounts" });
  });
});

describe("running a compiled operation", () => {
  it("asks subgraphs for prepared operations only once, when it is compiled", async () => {
    const shop = openShop();
    const prepare = jest.fn((local: Subgraph<object>, text: string, name: string | undefined) =>
      local.prepare(text, name),
    );
    const countedSubgraph = (name: string, schema: GraphQLSchema): Subgraph<object> => {
      const local = localSubgraph<object>(name, schema);
      return { ...local, prepare: (text, operationName) => prepare(local, text, operationName) };
    };
    const executor = executorOf(
      shop,
      Object.fromEntries([...shop.schemas].map(([name, schema]) => [name, countedSubgraph(name, schema)])),
    );
    const operation = executor.compile(parse("{ users { name reviews { body product { name } } } }"));
    expect(prepare).toHaveBeenCalledTimes(3);
    await operation.execute({}, {});
    await operation.execute({}, {});
    expect(prepare).toHaveBeenCalledTimes(3);
  });

  it("reads no text and validates nothing after it is compiled", async () => {
    const shop = openShop();
    const executor = executorOf(shop);
    const operation = executor.compile(
      parse('{ me { name reviews { body product { name } } } __type(name: "User") { name } }'),
    );
    await operation.execute({}, {});
    const tokens = jest.spyOn(Lexer.prototype, "advance");
    // the rules about directives ask the schema for them; execution does not
    const checks = [executor.apiSchema, ...shop.schemas.values()].map((schema) => jest.spyOn(schema, "getDirectives"));
    await operation.execute({}, {});
    expect(tokens).not.toHaveBeenCalled();
    expect(checks.map((check) => check.mock.calls.length)).toEqual([0, 0, 0, 0]);

    validate(executor.apiSchema, parse("{ me { name } }"));
    expect(tokens).toHaveBeenCalled();
    expect(checks[0]).toHaveBeenCalled();
    jest.restoreAllMocks();
  });

  it("asks for an entity once, however often it occurs, and gives each place its own copy", async () => {
    const shop = openShop();
    const { data } = await run(executorOf(shop), "{ usersWithGap { name reviews { body author { nickname } } } }");
    expect(shop.asked).toEqual([
      { subgraph: "reviews", count: 2 },
      { subgraph: "accounts", count: 2 },
    ]);
    const users = (data as { usersWithGap: { reviews: unknown[] }[] }).usersWithGap;
    expect(users[3]).toEqual(users[0]);
    expect(users[3]?.reviews).not.toBe(users[0]?.reviews);
  });

  it("reports the failure of a shared entity at each of its places", async () => {
    const { errors } = await run(executorOf(openShop()), "{ usersWithGap { failingReviews { body } } }");
    expect(errors?.map(({ path }) => path)).toEqual([
      ["usersWithGap", 0, "failingReviews"],
      ["usersWithGap", 3, "failingReviews"],
      ["usersWithGap", 2, "failingReviews"],
    ]);
  });

  it("runs concurrently without mixing contexts, variables or data", async () => {
    const executor = executorOf(openShop());
    const operation = executor.compile(parse("query Q($id: ID!) { user(id: $id) { name reviews { body } } }"));
    const results = await Promise.all(["1", "2", "3", "1"].map((id) => operation.execute({ id }, {})));
    expect(plain(results.map(({ data }) => data))).toEqual([
      { user: { name: "Ada", reviews: [{ body: "Love it" }, { body: null }] } },
      { user: { name: "Alan", reviews: [{ body: "Too soft" }] } },
      { user: { name: null, reviews: [] } },
      { user: { name: "Ada", reviews: [{ body: "Love it" }, { body: null }] } },
    ]);
  });

  it("orders fields as the client asked, whatever order they arrive in", async () => {
    const { data } = await run(executorOf(openShop()), "{ me { reviewCount name age id } }");
    expect(JSON.stringify(data)).toBe('{"me":{"reviewCount":2,"name":"Ada","age":185,"id":"1"}}');
  });

  it("runs the root fields of a mutation one after the other", async () => {
    const executor = executorOf(openShop());
    const { data } = await run(
      executor,
      `mutation {
        a: renameUser(id: "1", name: "First") { name }
        addReview(userId: "1", body: "between") { author { nickname } }
        b: renameUser(id: "1", name: "Second") { name reviewCount }
      }`,
    );
    expect(plain(data)).toEqual({
      a: { name: "First" },
      addReview: { author: { nickname: "countess" } },
      b: { name: "Second", reviewCount: 3 },
    });
  });

  it("refuses to execute a subscription and to subscribe to a query", async () => {
    const executor = executorOf(openShop());
    expect((await run(executor, "subscription { reviewAdded { id } }")).errors).toHaveLength(1);
    expect(await executor.compile(parse("{ me { id } }")).subscribe({}, {})).toHaveProperty("errors");
  });
});

describe("data of a single fetch that is the response as it stands", () => {
  const answer = { data: { me: { id: "1", name: "Ada" } } };
  const conforming = (result: ExecutionResult): Subgraph<object> => ({
    ...answering("accounts", () => result),
    conforms: true,
  });

  it("is handed on untouched when the subgraph conforms", async () => {
    const { data } = await run(executorOf(openShop(), { accounts: conforming(answer) }), "{ me { id name } }");
    expect(data).toBe(answer.data);
  });

  it.each([
    [
      "fields are hidden behind an enum with inaccessible values",
      "{ me { role } }",
      { me: { role: "GHOST" } },
      { me: { role: null } },
    ],
    [
      "types are abstract",
      '{ account(id: "1") { id } }',
      { account: { id: "1", __typename: "User" } },
      { account: { id: "1" } },
    ],
    [
      "the root type's name is asked",
      "{ __typename me { id } }",
      { me: { id: "1" } },
      { __typename: "Query", me: { id: "1" } },
    ],
    ["the subgraph failed as a whole", "{ me { id } }", null, { me: null }],
  ])("is shaped when %s", async (_, text, data, expectedData) => {
    const executor = executorOf(openShop(), { accounts: conforming({ data }) });
    expect(plain((await run(executor, text)).data)).toEqual(expectedData);
  });

  it("is shaped when the subgraph may answer anything", async () => {
    const executor = executorOf(openShop(), {
      accounts: answering("accounts", () => ({ data: { me: { extra: 1, name: "Ada", id: "1" }, more: 2 } })),
    });
    expect(JSON.stringify((await run(executor, "{ me { id name } }")).data)).toBe('{"me":{"id":"1","name":"Ada"}}');
  });
});

describe("a subgraph that breaks its contract", () => {
  const accountsAnswer = (data: unknown): Subgraph<object> =>
    answering("accounts", () => plain({ data }) as ExecutionResult);

  it.each([
    [
      "a value of the wrong scalar type",
      "{ me { id birthYear } }",
      { me: { id: "1", birthYear: "x" } },
      { me: { id: "1", birthYear: null } },
    ],
    ["an unknown enum value", "{ me { role } }", { me: { role: "KING" } }, { me: { role: null } }],
    ["an object where a list belongs", "{ users { id } }", { users: { id: "1" } }, null],
    ["a list where an object belongs", "{ me { id } }", { me: [{ id: "1" }] }, { me: null }],
    ["a scalar where an object belongs", "{ me { id } }", { me: 7 }, { me: null }],
    [
      "null where none is allowed",
      "{ me { id } users { id } }",
      { me: { id: null }, users: [{ id: "1" }, null] },
      null,
    ],
    [
      "an unknown type",
      '{ account(id: "1") { id } }',
      { account: { __typename: "Secret", id: "1" } },
      { account: null },
    ],
  ])("by %s yields null there and says so beside the data", async (_, text, data, expectedData) => {
    const result = await run(executorOf(openShop(), { accounts: accountsAnswer(data) }), text);
    expect(plain(result.data)).toEqual(expectedData);
    expect(result.errors).toBeUndefined();
    expect(plain(result.extensions?.["valueCompletion"])).toContainEqual(
      expect.objectContaining({ extensions: { code: "INVALID_GRAPHQL" } }),
    );
  });

  it.each([
    ["rejecting", () => Promise.reject(new Error("connect 10.0.0.1"))],
    [
      "throwing",
      () => {
        throw new Error("connect 10.0.0.1");
      },
    ],
  ])("by %s yields an error that names no internals, and the other fetches go on", async (_, answer) => {
    const executor = executorOf(openShop(), { accounts: answering("accounts", answer) });
    const { data, errors } = await run(executor, '{ me { name } product(upc: "p1") { name } }');
    expect(plain(data)).toEqual({ me: null, product: { name: "Table" } });
    expect(plain(errors)).toEqual([
      {
        message: 'Error while fetching subquery from service "accounts"',
        extensions: { code: "DOWNSTREAM_SERVICE_ERROR", serviceName: "accounts" },
      },
    ]);
    expect(errors?.[0]?.originalError?.message).toBe("connect 10.0.0.1");
  });

  it.each([
    ["no list", {}, 'Expected "data._entities" in response to be an array'],
    ["too few", { _entities: [] }, 'Expected "data._entities" to contain 1 elements'],
  ])("by answering an entity fetch with %s yields an error", async (_, data, message) => {
    const executor = executorOf(openShop(), { reviews: answering("reviews", () => ({ data })) });
    const result = await run(executor, "{ me { name reviews { id } } }");
    expect(plain(result.data)).toEqual({ me: { name: "Ada", reviews: null } });
    expect(result.errors?.[0]?.message).toBe(message);
  });

  it("passes a subgraph's extensions on", async () => {
    const executor = executorOf(openShop(), {
      accounts: answering("accounts", () => ({ data: { me: { id: "1" } }, extensions: { replayed: true } })),
    });
    expect((await run(executor, "{ me { id } }")).extensions).toEqual({ replayed: true });
  });
});

describe("names that JavaScript objects inherit", () => {
  const emptyObject = () => ({}) as Record<string, unknown>;

  it("are ordinary keys of the response", async () => {
    const { data } = await run(
      executorOf(openShop()),
      "{ __proto__: me { constructor: name __proto__: reviews { __proto__: body } toString: age } hasOwnProperty: version }",
    );
    expect(JSON.stringify(data)).toBe(
      '{"__proto__":{"constructor":"Ada","__proto__":[{"__proto__":"Love it"},{"__proto__":null}],"toString":185},"hasOwnProperty":"1"}',
    );
    expect(emptyObject()["body"]).toBeUndefined();
    expect(emptyObject()["name"]).toBeUndefined();
  });

  it("are not read from prototypes when a subgraph leaves them out", async () => {
    const executor = executorOf(openShop(), { accounts: answering("accounts", () => ({ data: { me: {} } })) });
    const { data } = await run(executor, "{ me { constructor: name toString: nickname valueOf: birthYear } }");
    expect(plain(data)).toEqual({ me: { constructor: null, toString: null, valueOf: null } });
  });

  it("do no harm in what subgraphs send", async () => {
    const hostile =
      '{"me":{"__typename":"User","id":"1","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}}}}';
    const entity =
      '[{"__proto__":{"polluted":3},"constructor":{"prototype":{"polluted":4}},"reviews":[{"__proto__":{"polluted":5},"id":"r"}]}]';
    const executor = executorOf(openShop(), {
      accounts: answering("accounts", () => ({ data: JSON.parse(hostile) })),
      reviews: answering("reviews", () => ({ data: { _entities: JSON.parse(entity) } })),
    });
    const { data } = await run(executor, "{ me { id reviews { id } } }");
    expect(plain(data)).toEqual({ me: { id: "1", reviews: [{ id: "r" }] } });
    expect(emptyObject()["polluted"]).toBeUndefined();
    expect((() => {})["polluted" as never]).toBeUndefined();
  });

  it("do no harm as variables", async () => {
    const executor = executorOf(openShop());
    const text = "query Q($__proto__: String, $constructor: [Int!]) { echo(text: $__proto__, list: $constructor) }";
    expect((await run(executor, text, {})).data).toEqual({ echo: '{"text":"default"}' });
    expect((await run(executor, text, JSON.parse('{"__proto__":"t","constructor":[1]}'))).data).toEqual({
      echo: '{"text":"t","list":[1]}',
    });
  });
});
