import { defaultFieldResolver, type ExecutionResult, type GraphQLError, isObjectType, parse, validate } from "graphql";
import { OperationPlanner } from "../query-planner/operation-planner.js";
import { localSubgraph } from "../subgraphs/local-subgraph.js";
import { openShop, type Shop } from "./shop.fixture.js";
import { openStockGateway, type StockExecutor } from "./stock-gateway.fixture.js";
import { SupergraphExecutor } from "./supergraph-executor.js";

interface Operation {
  readonly text: string;
  readonly variables?: Record<string, unknown>;
}

const toOperations = (...texts: string[]): Operation[] => texts.map((text) => ({ text }));

const operations: Operation[] = [
  ...toOperations(
    `{ me { id name } }`,
    `{ me { name id email role birthYear } version }`,
    `{ nobody { id reviews { body } } }`,
    `{ __typename me { __typename kind: __typename id } }`,
    `{ a: me { n: name } b: user(id: "2") { n: nickname reviews { body } } }`,
    `{ users { reviews { body } name } }`,
    `{ users(first: 2) { name reviewCount age } }`,
    `{ me { reviews { product { name price reviews { author { nickname reviewCount } } } } } }`,
    `{ topReviews { author { name } } }`,
    `{ topReviews { author { name nickname email } body } }`,
    `{ topReviews { subject { __typename ... on Product { name } ... on Service { label } } } }`,
    `{ topReviews { subject { ... on Product { x: name } ... on Service { x: label } } } }`,
    `{ products { name shipping area dimensions { height } } }`,
    `{ products { shipping } }`,
    `{ product(upc: "p1") { related { name reviews { stars } seller { name reviews { body } } } grid tags weight } }`,
    `{ product(upc: "none") { name } }`,
    `{ shelf { name reviews { id } } }`,
    `{ listings { ... on Product { x: price } ... on Service { x: hours } } }`,
    `{ listings { ... on Product { reviews { stars } } ... on Service { provider { name } } ... on User { name role } } }`,
    `{ listings { ... on Service { x: label } ... on Product { x: name } ... on User { x: nickname } } }`,
    `{ account(id: "1") { id } }`,
    `{ account(id: "1") { __typename ... on User { name reviews { id } } ... on Node { id } } }`,
    `{ media { id title score } }`,
    `{ media { __typename score reviewedBy { name } ... on Book { pages } ... on Movie { minutes } } }`,
    `{ usersWithGap { name reviews { body } friends { name age } } }`,
    `{ strictUsers { name } me { id } }`,
    `{ users { name role } }`,
    `{ user(id: "3") { role name } }`,
    `{ me { address { street region city { name zip } } } }`,
    `{ users { address { region city { zip } } } }`,
    `{ me { settings } }`,
    `{ me { query { version me { name reviews { id } } } } }`,
    `{ boom me { name } }`,
    `{ boomStrict me { name } }`,
    `{ me { secret name } }`,
    `{ users { id secret } }`,
    `{ users { id strictSecret } }`,
    `{ me { strictSecret } version }`,
    `{ me { name failingReviews { id } } }`,
    `{ users { reviewCount } }`,
    `{ usersWithGap { reviewCount name } }`,
    `{ usersWithGap { nickname failingReviews { body } } }`,
    `{ products { name strictReviews { id } } }`,
    `{ product(upc: "p1") { name strictReviews { id } } me { name } }`,
    `{ topReviews { author { secret } } }`,
    `{ topReviews { author { strictSecret name } body } }`,
    `{ me { ...F friends { ...F reviews { ...G } } } } fragment F on User { name ...H } fragment G on Review { body product { name } } fragment H on Node { id }`,
    `{ me { id ... on User { email } ... { name } ... on Node { id __typename } } }`,
    `{ me { friends { friends { friends { name age reviewCount } } } } }`,
    `{ __schema { queryType { name } } __type(name: "User") { name fields { name } } me { id } }`,
    `{ __type(name: "Role") { enumValues { name } } }`,
    `{ s: __schema { types { ...T } } } fragment T on __Type { kind n: name }`,
    `{ echo }`,
    `{ echo(text: null, list: 3) }`,
    `{ echo(list: [1, 2], filter: { tags: ["a"], nested: { name: null, nested: {} } }) }`,
    `{ a: echo(filter: { name: "x" }) echo(list: []) echo(list: []) }`,
    `{ me @skip(if: true) { name } version @include(if: true) }`,
    `{ me { name @include(if: false) id } me { email } }`,
    `{ me @skip(if: true) { name } }`,
    `mutation { renameUser(id: "2", name: "Al") { name reviews { body } } }`,
    `mutation { a: renameUser(id: "1", name: "A1") { name } addReview(userId: "1", body: "new") { id author { name nickname } } b: renameUser(id: "1", name: "A2") { name reviewCount } createProduct(upc: "p7", name: "Lamp") { name shipping reviews { id } } }`,
    `mutation { failUser(id: "1") { name } renameUser(id: "1", name: "After") { name } }`,
    `mutation { failProduct { name } renameUser(id: "1", name: "Later") { name } }`,
    `mutation { renameUser(id: "404", name: "x") { reviews { id } } }`,
    `{ constructor: me { toString: name valueOf: reviews { hasOwnProperty: body } } }`,
    `{ __proto__: me { __proto__: name } version }`,
    `{ name: me { email: nickname reviews { stars: body author { name: nickname } } } id: boom }`,
    `{ users { name: id nickname: strictSecret } }`,
    `{ users { reviews: friends { name: secret } } }`,
    `{ topReviews { product: author { body: reviewCount stars: secret } } }`,
    `{ name: __type(name: "User") { kind: name name: kind } me { name: __typename } }`,
    `{ me { __proto__: reviews { __proto__: body } constructor: friends { __proto__: age } } }`,
  ),
  { text: `query Q($id: ID!) { user(id: $id) { name reviews { body } } }`, variables: { id: "1" } },
  { text: `query Q($id: ID!) { user(id: $id) { name } }`, variables: {} },
  { text: `query Q($id: ID!) { user(id: $id) { name } }`, variables: { id: { a: 1 } } },
  { text: `query Q($id: ID!) { user(id: $id) { name } }`, variables: { id: 2 } },
  { text: `query Q($n: Int = 1, $m: Int) { users(first: $n) { reviews(first: $m) { id } } }` },
  {
    text: `query Q($n: Int = 1, $m: Int) { users(first: $n) { reviews(first: $m) { id } } }`,
    variables: { n: 2, m: 1 },
  },
  { text: `query Q($n: Int) { users(first: $n) { id } }`, variables: { n: "two" } },
  { text: `query Q($f: Filter, $l: [Int!]) { echo(filter: $f, list: $l) }`, variables: { f: { nested: {} }, l: 4 } },
  { text: `query Q($f: Filter) { echo(filter: $f) }`, variables: { f: { wrong: 1 } } },
  { text: `query Q($f: Filter = { tags: ["d"], nested: {} }) { echo(filter: $f) }` },
  { text: `query Q($f: Filter = { tags: ["d"] }) { echo(filter: $f) }`, variables: { f: null } },
  { text: `query Q($f: Filter = { tags: ["d"] }) { echo(filter: { nested: $f }) }`, variables: { f: { name: "n" } } },
  { text: `query Q($t: String! = "d", $n: String) { echo(filter: { name: $n, tags: [$t, "e"] }) }` },
  {
    text: `query Q($t: String!, $n: String) { echo(filter: { name: $n, tags: [$t] }) }`,
    variables: { t: "t", n: null },
  },
  { text: `query Q($f: Filter) { echo(filter: $f) }`, variables: JSON.parse('{"f":{"__proto__":{"name":"p"}}}') },
  { text: `query Q($f: Filter) { echo(filter: $f) }`, variables: JSON.parse('{"__proto__":{"f":{"name":"p"}}}') },
  ...[true, false].flatMap((s) => [
    {
      text: `query Q($s: Boolean!) { me @skip(if: $s) { reviews { body } } topReviews @include(if: $s) { body } }`,
      variables: { s },
    },
    {
      text: `query Q($s: Boolean!) { me { name @include(if: $s) ... @skip(if: $s) { id reviews { id } } } }`,
      variables: { s },
    },
    {
      text: `query Q($s: Boolean = true) { me { ...F @include(if: $s) id } } fragment F on User { nickname age }`,
      variables: { s },
    },
    {
      text: `query Q($s: Boolean!) { me { name @skip(if: $s) } topReviews { author { nickname @skip(if: $s) } } }`,
      variables: { s },
    },
    {
      text: `query Q($s: Boolean!) { users { ... @skip(if: $s) { ...F } friends @include(if: $s) { ...F @include(if: $s) } } } fragment F on User { reviewCount @include(if: $s) secret @skip(if: $s) }`,
      variables: { s },
    },
    {
      text: `query Q($s: Boolean!, $t: Boolean = false, $u: Boolean = true, $v: Boolean = true) { me @include(if: $s) { id @skip(if: $t) name @include(if: $u) email @include(if: $v) } }`,
      variables: { s },
    },
    {
      text: `mutation M($s: Boolean!) { renameUser(id: "2", name: "Al") @include(if: $s) { name reviews { body @skip(if: $s) id } } b: renameUser(id: "3", name: "G") { name } }`,
      variables: { s },
    },
    { text: `query Q($s: Boolean!) { __schema @include(if: $s) { queryType { name } } version }`, variables: { s } },
    {
      text: `query Q($s: Boolean!, $t: Boolean!) { me @include(if: $s) @skip(if: $t) { name reviews { id } } }`,
      variables: { s, t: false },
    },
  ]),
  { text: `query Q($s: Boolean = true) { me { ...F @include(if: $s) id } } fragment F on User { nickname age }` },
  { text: `query Q($n: String!) { __type(name: $n) { name kind } }`, variables: { n: "Product" } },
  { text: `query Q($s: Boolean!) { me @skip(if: $s) { id } }`, variables: { s: "yes" } },
];

const describeErrors = (errors: readonly GraphQLError[] | undefined) =>
  (errors ?? []).map(({ message, path, extensions }) => JSON.stringify({ message, path, extensions })).sort();

function comparable({ data, errors, extensions }: ExecutionResult) {
  return {
    // as text, so that key order counts
    data: JSON.stringify(data),
    errors: describeErrors(errors),
    valueCompletion: describeErrors(extensions?.["valueCompletion"] as readonly GraphQLError[] | undefined),
  };
}

/** Gives every field a resolver, which makes most fetches eligible for graphql-jit. */
function withResolvers(shop: Shop): Shop {
  for (const schema of shop.schemas.values()) {
    for (const type of Object.values(schema.getTypeMap())) {
      for (const field of isObjectType(type) && !type.name.startsWith("__") ? Object.values(type.getFields()) : []) {
        field.resolve ??= defaultFieldResolver;
      }
    }
  }
  return shop;
}

describe.each([
  ["graphql-js", {}],
  ["graphql-jit", { jitAfterRuns: 1 }],
])("the compiled executor over %s and Apollo's gateway", (_, options) => {
  const ours = withResolvers(openShop());
  const theirs = openShop();
  const executor = new SupergraphExecutor<object>(
    new OperationPlanner(ours.supergraphSdl),
    [...ours.schemas].map(([name, schema]) => localSubgraph(name, schema, options)),
  );
  let stock: { execute: StockExecutor; stop: () => Promise<void> };

  beforeAll(async () => {
    // read when the gateway is constructed, which otherwise starts a metrics exporter
    process.env["APOLLO_TELEMETRY_DISABLED"] = "1";
    stock = await openStockGateway(theirs);
  });
  afterAll(() => stock.stop());

  it.each(operations)("agree on $text $variables", async ({ text, variables }) => {
    const document = parse(text);
    expect(validate(executor.apiSchema, document)).toEqual([]);
    const expectedResult = comparable(await stock.execute(document, variables));
    const compiledOperation = executor.compile(document);
    expect(comparable(await compiledOperation.execute(variables, {}))).toEqual(expectedResult);
    if (compiledOperation.kind === "query") {
      // nothing is left over from the first run
      expect(comparable(await compiledOperation.execute(variables, {}))).toEqual(expectedResult);
    }
  });

  it("differ where Apollo's gateway counts list items wrong: the error names the item that failed", async () => {
    const document = parse("{ listings { ... on Product { price } ... on Service { hours rating } } }");
    const theirs = await stock.execute(document, undefined);
    const mine = await executor.compile(document).execute(undefined, {});
    expect(mine.data).toEqual(theirs.data);
    expect(theirs.errors?.map(({ path }) => path)).toEqual([["listings", 1, "rating"]]);
    expect(mine.errors?.map(({ path }) => path)).toEqual([["listings", 6, "rating"]]);
  });

  it("differ where a whole entity fetch fails: no plan syntax in the path", async () => {
    const document = parse("{ topReviews(first: 4) { product { name } author { id } } }");
    const theirs = await stock.execute(document, undefined);
    const mine = await executor.compile(document).execute(undefined, {});
    expect(mine.data).toEqual(theirs.data);
    expect(mine.errors?.map(({ message, extensions }) => ({ message, extensions }))).toEqual(
      theirs.errors?.map(({ message, extensions }) => ({ message, extensions })),
    );
    expect(theirs.errors?.map(({ path }) => path)).toEqual([["topReviews", "@", "product", "_entities"]]);
    expect(mine.errors?.map(({ path }) => path)).toEqual([["topReviews"]]);
  });

  it("differ where an alias hides a key: the client gets what it asked", async () => {
    const document = parse("{ me { id: nickname reviews(first: 2) { id: body } } }");
    const theirs = await stock.execute(document, undefined);
    const mine = await executor.compile(document).execute(undefined, {});
    expect(theirs.data).toMatchObject({ me: { id: "1" } });
    expect(mine.data).toEqual({ me: { id: "countess", reviews: [{ id: "Love it" }, { id: null }] } });
  });

  it("differ where an alias hides a required field: the subgraph gets the field itself", async () => {
    const document = parse("{ me { birthYear: nickname age __typename: email } asked_birthYear: version }");
    const theirs = await stock.execute(document, undefined);
    const mine = await executor.compile(document).execute(undefined, {});
    expect(theirs.data).not.toEqual(mine.data);
    expect(mine.data).toEqual({ me: { birthYear: "countess", age: 185, __typename: "ada@x" }, asked_birthYear: "1" });
  });

  it("differ where a skipped field requires another: the rest of its entity is fetched", async () => {
    const document = parse("query Q($s: Boolean!) { me { reviews(first: 1) { id } age @skip(if: $s) } }");
    const theirs = await stock.execute(document, { s: true });
    const compiledOperation = executor.compile(document);
    expect(theirs.data).toEqual({ me: { reviews: null } });
    expect((await compiledOperation.execute({ s: true }, {})).data).toEqual({ me: { reviews: [{ id: "r1" }] } });
    expect((await compiledOperation.execute({ s: false }, {})).data).toEqual({
      me: { reviews: [{ id: "r1" }], age: 185 },
    });
  });

  it("differ on a renamed field whose value is falsy: it is kept", async () => {
    const document = parse("{ media { ... on Book { n: pages } ... on Movie { n: minutes } } }");
    const theirs = await stock.execute(document, undefined);
    const mine = await executor.compile(document).execute(undefined, {});
    expect(theirs.data).toEqual({ media: [{ n: 412 }, { n: null }, { n: 7 }] });
    expect(mine.data).toEqual({ media: [{ n: 412 }, { n: 0 }, { n: 7 }] });
  });
});
