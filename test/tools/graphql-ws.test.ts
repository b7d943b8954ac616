import { deepEqual, equal, rejects } from "node:assert/strict";
import { test } from "node:test";
import { type Client, createClient } from "graphql-ws";
import { Caller } from "./caller.ts";
import { nameOf, registerTemplate, type TemplateEvent, templateEvents } from "./subscriptions.ts";

const caller = await Caller.open();

/** Each of the places in which clients send their token. */
const credentials = {
  "connectionParams.authorization": { authorization: `Bearer ${caller.token}` },
  "connectionParams.headers.authorization": { headers: { authorization: `Bearer ${caller.token}` } },
  "connectionParams.headers.Authorization": { headers: { Authorization: `Bearer ${caller.token}` } },
};

const aClient = (connectionParams: Record<string, unknown> = credentials["connectionParams.authorization"]) =>
  createClient({ url: caller.socketUrl, connectionParams });

const eventsOf = (client: Client, after?: string) =>
  client.iterate<TemplateEvent>({ query: templateEvents, variables: { after } });

for (const [place, connectionParams] of Object.entries(credentials))
  test(`graphql-ws runs a query with the token in ${place}`, async () => {
    const client = aClient(connectionParams);
    const answers = client.iterate({ query: "{ me { tenantId } }" });
    deepEqual((await answers.next()).value, { data: { me: { tenantId: caller.tenant.tenantId } } });
    equal((await answers.next()).done, true);
    await client.dispose();
  });

test("graphql-ws follows events, and another client continues after the last cursor", async () => {
  await registerTemplate(caller, "first");
  const client = aClient();
  const events = eventsOf(client, "0");
  const { value: first } = await events.next();
  equal(nameOf(first), "first");
  equal(first.data.events.subject.name, "first");
  await client.dispose();

  await registerTemplate(caller, "second");
  await registerTemplate(caller, "third");
  const laterClient = aClient();
  const laterEvents = eventsOf(laterClient, first.data.events.cursor);
  deepEqual([nameOf((await laterEvents.next()).value), nameOf((await laterEvents.next()).value)], ["second", "third"]);
  await laterEvents.return?.();
  await laterClient.dispose();
});

test("graphql-ws gives the errors of a refused subscription to its reader", async () => {
  const client = aClient();
  const changes = client.iterate({ query: 'subscription { runStatusChanged(runId: "run_unknown") { status } }' });
  const { value } = await changes.next();
  deepEqual(
    value.errors?.map(({ extensions }: { extensions: { code: string } }) => extensions.code),
    ["RUN_NOT_FOUND"],
  );
  equal((await changes.next()).done, true);
  await client.dispose();
});

test("graphql-ws gives the close code and the reason of a refused token to its reader", async () => {
  // a client tries five times by default, as the token may be accepted later
  const client = createClient({
    url: caller.socketUrl,
    connectionParams: { authorization: "Bearer garbage" },
    retryAttempts: 0,
  });
  await rejects(client.iterate({ query: "{ __typename }" }).next(), { code: 4403, reason: "Token not valid" });
  await client.dispose();
});
