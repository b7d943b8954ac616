import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { aFlag } from "@factory/test/kit/feature-flags";
import { Client, fetchExchange } from "@urql/core";
import { type CacheExchangeOpts, cacheExchange } from "@urql/exchange-graphcache";
import { Caller } from "./caller.ts";
import { anObject, documentsOf, kinds, showsChange } from "./changes.ts";

const caller = await Caller.open();

const aClient = (cache: Partial<CacheExchangeOpts> = {}) =>
  new Client({
    url: caller.graphUrl,
    fetch: caller.fetch,
    fetchOptions: { headers: caller.headers },
    exchanges: [cacheExchange(cache), fetchExchange],
  });

for (const kind of kinds)
  test(`urql with graphcache shows a changed object in a list without a request: ${kind}`, async () => {
    const client = aClient();
    const { id, listVariables } = await anObject(caller, kind);
    const documents = documentsOf(kind);
    const list = () => client.query(documents.list, listVariables).toPromise();
    const before = await list();
    equal(before.error, undefined);
    equal(showsChange(kind, before.data), false);
    const mutation = await client.mutation(documents.mutation, { id }).toPromise();
    equal(mutation.error, undefined);
    const requestsBefore = caller.requests;
    equal(showsChange(kind, (await list()).data), true);
    equal(caller.requests, requestsBefore);
  });

test("urql shows a created and a deleted object by the application's updater, without a request", async () => {
  const list = "query { featureFlags { items { id key } } }";
  const client = aClient({
    updates: {
      Mutation: {
        setFeatureFlag({ setFeatureFlag }, _, cache) {
          const { flag } = setFeatureFlag as unknown as { flag: Flag };
          cache.updateQuery<Flags>({ query: list }, (former) => withItems(former, (items) => [...items, flag]));
        },
        deleteFeatureFlag({ deleteFeatureFlag }, _, cache) {
          const { id } = deleteFeatureFlag as unknown as Flag;
          cache.updateQuery<Flags>({ query: list }, (former) =>
            withItems(former, (items) => items.filter((item) => item.id !== id)),
          );
        },
      },
    },
  });
  await aFlag(caller.token, "older");
  const keys = async () =>
    (await client.query<Flags>(list, {}).toPromise()).data?.featureFlags.items.map(({ key }) => key);
  const keysBefore = (await keys()) ?? [];

  const creation = 'mutation { setFeatureFlag(key: "created", input: { enabled: true }) { flag { id key } } }';
  equal((await client.mutation(creation, {}).toPromise()).error, undefined);
  const requestsAfterCreation = caller.requests;
  deepEqual(await keys(), [...keysBefore, "created"]);
  equal(caller.requests, requestsAfterCreation);

  await client.mutation('mutation { deleteFeatureFlag(key: "created") { id } }', {}).toPromise();
  const requestsAfterDeletion = caller.requests;
  deepEqual(await keys(), keysBefore);
  equal(caller.requests, requestsAfterDeletion);
});

interface Flag {
  readonly __typename: "FeatureFlag";
  readonly id: string;
  readonly key: string;
}

interface Flags {
  readonly featureFlags: { readonly items: readonly Flag[] };
}

const withItems = (flags: Flags | null, change: (items: readonly Flag[]) => readonly Flag[]) =>
  flags && { ...flags, featureFlags: { ...flags.featureFlags, items: change(flags.featureFlags.items) } };
