import { type ExecutionResult, parse } from "graphql";
import { OperationPlanner } from "../query-planner/operation-planner.js";
import { localSubgraph } from "../subgraphs/local-subgraph.js";
import { openShop, type Shop } from "./shop.fixture.js";
import { SupergraphExecutor } from "./supergraph-executor.js";

async function subscribe(shop: Shop, text: string, variables?: Record<string, unknown>) {
  const executor = new SupergraphExecutor<object>(
    new OperationPlanner(shop.supergraphSdl),
    [...shop.schemas].map(([name, schema]) => localSubgraph(name, schema)),
  );
  return executor.compile(parse(text)).subscribe(variables, {});
}

async function events(shop: Shop, text: string, variables?: Record<string, unknown>) {
  const result = await subscribe(shop, text, variables);
  if (!("next" in result)) {
    throw new Error(`Expected events, got ${JSON.stringify(result)}`);
  }
  return result;
}

const plain = (result: IteratorResult<ExecutionResult>): unknown => JSON.parse(JSON.stringify(result.value));

describe("a federated subscription", () => {
  it("joins each event with the entities of other subgraphs", async () => {
    const shop = openShop();
    const stream = await events(
      shop,
      "subscription { reviewAdded { stars body author { nickname age } product { name } } }",
    );
    shop.added.push({ id: "r9", body: "Fine", stars: 4, userId: "1", upc: "p2" });
    shop.added.push({ id: "r10", body: null, stars: 1, userId: "2", upc: "p1" });
    expect(plain(await stream.next())).toEqual({
      data: {
        reviewAdded: { stars: 4, body: "Fine", author: { nickname: "countess", age: 185 }, product: { name: "Couch" } },
      },
    });
    expect(plain(await stream.next())).toEqual({
      data: { reviewAdded: { stars: 1, body: null, author: { nickname: null, age: 88 }, product: { name: "Table" } } },
    });
  });

  it("needs no join when one subgraph has everything", async () => {
    const shop = openShop();
    const stream = await events(shop, "subscription { e: reviewAdded { __typename id } }");
    shop.added.push({ id: "r9" });
    expect(plain(await stream.next())).toEqual({ data: { e: { __typename: "Review", id: "r9" } } });
  });

  it("goes on after an event that fails in the join or in the owning subgraph", async () => {
    const shop = openShop();
    const stream = await events(shop, "subscription { reviewAdded { id stars product { name strictPrice } } }");
    shop.added.push({ id: "r9", stars: 1, upc: "unknown" });
    shop.added.push({ id: "r10", stars: "many", upc: "p1" });
    shop.added.push({ id: null, stars: 1, upc: "p1" });
    shop.added.push({ id: "r12", stars: 3, upc: "p1" });
    expect(plain(await stream.next())).toMatchObject({
      data: { reviewAdded: { id: "r9", product: null } },
      errors: [{ message: "no product unknown", extensions: { code: "NOT_FOUND", serviceName: "products" } }],
    });
    expect(plain(await stream.next())).toMatchObject({
      data: { reviewAdded: { id: "r10", stars: null, product: { name: "Table" } } },
      errors: [{ path: ["reviewAdded", "stars"] }],
    });
    expect(plain(await stream.next())).toMatchObject({ data: null, errors: [{ path: ["reviewAdded", "id"] }] });
    expect(plain(await stream.next())).toEqual({
      data: { reviewAdded: { id: "r12", stars: 3, product: { name: "Table", strictPrice: 900 } } },
    });
  });

  it("asks nothing more when the event is null", async () => {
    const shop = openShop();
    const stream = await events(shop, "subscription S($id: ID) { userRenamed(id: $id) { name reviews { id } } }", {
      id: "1",
    });
    shop.renamed.push({ id: "404" });
    expect(plain(await stream.next())).toEqual({ data: { userRenamed: null } });
    expect(shop.asked).toEqual([]);
  });

  it("closes its source when the consumer leaves", async () => {
    const shop = openShop();
    const stream = await events(shop, "subscription { userRenamed { name } }");
    const pending = stream.next();
    expect(await stream.return?.()).toEqual({ done: true, value: undefined });
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(shop.renamed.returned).toBe(1);
  });

  it("closes its source when a loop over it breaks", async () => {
    const shop = openShop();
    const stream = await events(shop, "subscription { userRenamed { name } }");
    shop.renamed.push({ id: "1" });
    for await (const event of stream) {
      expect(event.data).toEqual({ userRenamed: { name: "Ada" } });
      break;
    }
    expect(shop.renamed.returned).toBe(1);
  });

  it("is refused with the code of the subgraph", async () => {
    const result = await subscribe(openShop(), "subscription { alarm { name } }");
    expect(JSON.parse(JSON.stringify(result))).toEqual({
      errors: [
        {
          message: "no alarms",
          path: ["alarm"],
          extensions: { code: "FORBIDDEN", detail: { hint: "kept" }, serviceName: "accounts" },
        },
      ],
    });
  });

  it("is refused when its variables do not fit", async () => {
    const result = await subscribe(openShop(), "subscription S($id: ID!) { userRenamed(id: $id) { name } }", {});
    expect(result).toMatchObject({ errors: [{ message: expect.stringContaining("$id") }] });
  });

  it("takes a context for each event", async () => {
    const shop = openShop();
    const schemas = [...shop.schemas];
    const seenEvents: unknown[] = [];
    const executor = new SupergraphExecutor<{ event: number }>(
      new OperationPlanner(shop.supergraphSdl),
      schemas.map(([name, schema]) => {
        const local = localSubgraph<{ event: number }>(name, schema);
        return {
          ...local,
          prepare: (text, operationName) => {
            const fetch = local.prepare(text, operationName);
            return {
              ...fetch,
              run: (variables, context) => (seenEvents.push(context.event), fetch.run(variables, context)),
            };
          },
        };
      }),
    );
    let event = 0;
    const operation = executor.compile(parse("subscription { userRenamed { reviewCount } }"));
    const stream = await operation.subscribe({}, { event }, { contextForEvent: () => ({ event: ++event }) });
    shop.renamed.push({ id: "1" });
    shop.renamed.push({ id: "2" });
    if ("next" in stream) {
      await stream.next();
      await stream.next();
      await stream.return?.();
    }
    expect(seenEvents).toEqual([1, 2]);
  });

  describe("with subscribers in groups", () => {
    const query = "subscription ($on: Boolean = true) { userRenamed { name reviewCount @include(if: $on) } }";

    /** One event, handed as one object to a subscriber in each group. */
    async function answers(subscribers: { group?: string; variables?: Record<string, unknown> }[]) {
      const shop = openShop();
      const executor = new SupergraphExecutor<object>(
        new OperationPlanner(shop.supergraphSdl),
        [...shop.schemas].map(([name, schema]) => localSubgraph(name, schema)),
      );
      const contexts: object[] = [];
      const contextForEvent = () => {
        contexts.push({});
        return contexts.at(-1) ?? {};
      };
      const operation = executor.compile(parse(query));
      const waiting = subscribers.map(async ({ group, variables }) => {
        const options = group === undefined ? { contextForEvent } : { contextForEvent, group };
        const stream = await operation.subscribe(variables, {}, options);
        if (!("next" in stream)) throw new Error(`Expected events, got ${JSON.stringify(stream)}`);
        return (await stream.next()).value as ExecutionResult;
      });
      const event = { id: "1" };
      for (const _ of subscribers) shop.renamed.push(event);
      return { results: await Promise.all(waiting), joins: shop.asked.length, contexts: contexts.length };
    }

    it("joins an event once for each group, whatever the number of its subscribers", async () => {
      const groups = ["a", "b", "a", "a", "b"];
      const { results, joins, contexts } = await answers(groups.map((group) => ({ group })));
      expect([joins, contexts]).toEqual([2, 2]);
      expect(new Set(results).size).toBe(2);
      expect(results[0]).toBe(results[2]);
      expect(results[0]).not.toBe(results[1]);
      expect(results[0]).toEqual(results[1]);
      expect(Object.isFrozen(results[0])).toBe(true);
    });

    it("shares nothing between different variables, nor without a group", async () => {
      const { results, joins } = await answers([
        { group: "a", variables: { on: true } },
        { group: "a", variables: { on: false } },
        {},
        {},
      ]);
      expect(joins).toBe(3);
      expect(new Set(results).size).toBe(4);
      expect(results[1]?.data).toEqual({ userRenamed: { name: "Ada" } });
    });
  });
});
