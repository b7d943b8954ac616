import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { ApolloClient, gql, HttpLink, InMemoryCache, type StoreObject } from "@apollo/client/core";
import { aFlag } from "@factory/test/kit/feature-flags";
import { Caller } from "./caller.ts";
import { anObject, documentsOf, kinds, showsChange } from "./changes.ts";

const caller = await Caller.open();

const aClient = () =>
  new ApolloClient({
    link: new HttpLink({ uri: caller.graphUrl, headers: caller.headers, fetch: caller.fetch }),
    cache: new InMemoryCache(),
  });

for (const kind of kinds)
  test(`Apollo Client shows a changed object in a list without a request: ${kind}`, async () => {
    const client = aClient();
    const { id, listVariables } = await anObject(caller, kind);
    const documents = documentsOf(kind);
    const list = () => client.query({ query: gql(documents.list), variables: listVariables });
    equal(showsChange(kind, (await list()).data), false);
    await client.mutate({ mutation: gql(documents.mutation), variables: { id } });
    const requestsBefore = caller.requests;
    equal(showsChange(kind, (await list()).data), true);
    equal(caller.requests, requestsBefore);
  });

test("Apollo Client shows a created and a deleted object by the application's updater, without a request", async () => {
  const client = aClient();
  await aFlag(caller.token, "older");
  const list = gql`query { featureFlags { items { id key } } }`;
  const keys = async () => (await client.query<Flags>({ query: list })).data?.featureFlags.items.map(({ key }) => key);
  const keysBefore = (await keys()) ?? [];

  await client.mutate<{ setFeatureFlag: { flag: Flag } }>({
    mutation: gql`mutation { setFeatureFlag(key: "created", input: { enabled: true }) { flag { id key } } }`,
    update: (cache, { data }) =>
      cache.updateQuery<Flags>({ query: list }, (former) => {
        if (!former || !data) return;
        const items = [...former.featureFlags.items, data.setFeatureFlag.flag];
        return { featureFlags: { ...former.featureFlags, items } };
      }),
  });
  const requestsAfterCreation = caller.requests;
  deepEqual(await keys(), [...keysBefore, "created"]);
  equal(caller.requests, requestsAfterCreation);

  await client.mutate<{ deleteFeatureFlag: Flag }>({
    mutation: gql`mutation { deleteFeatureFlag(key: "created") { id } }`,
    update(cache, { data }) {
      const id = data && cache.identify(data.deleteFeatureFlag);
      if (id) cache.evict({ id });
    },
  });
  const requestsAfterDeletion = caller.requests;
  deepEqual(await keys(), keysBefore);
  equal(caller.requests, requestsAfterDeletion);
});

interface Flag extends StoreObject {
  readonly id: string;
  readonly key: string;
}

interface Flags {
  readonly featureFlags: { readonly items: readonly Flag[] };
}
