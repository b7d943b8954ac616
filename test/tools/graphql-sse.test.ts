import { deepEqual, equal, rejects } from "node:assert/strict";
import { test } from "node:test";
import { type Client, createClient } from "graphql-sse";
import { Caller } from "./caller.ts";
import { nameOf, registerTemplate, type TemplateEvent, templateEvents } from "./subscriptions.ts";

const caller = await Caller.open();

const aClient = () => createClient({ url: caller.graphUrl, headers: caller.headers });

const eventsOf = (client: Client, after?: string) =>
  client.iterate<TemplateEvent>({ query: templateEvents, variables: { after } });

test("graphql-sse runs a query", async () => {
  const client = aClient();
  const answers = client.iterate({ query: "{ me { tenantId } }" });
  deepEqual((await answers.next()).value, { data: { me: { tenantId: caller.tenant.tenantId } } });
  equal((await answers.next()).done, true);
  client.dispose();
});

test("graphql-sse follows events, and another client continues after the last cursor", async () => {
  await registerTemplate(caller, "first");
  const client = aClient();
  const events = eventsOf(client, "0");
  const { value: first } = await events.next();
  equal(nameOf(first), "first");
  equal(first.data.events.subject.name, "first");
  client.dispose();

  await registerTemplate(caller, "second");
  await registerTemplate(caller, "third");
  const laterClient = aClient();
  const laterEvents = eventsOf(laterClient, first.data.events.cursor);
  deepEqual([nameOf((await laterEvents.next()).value), nameOf((await laterEvents.next()).value)], ["second", "third"]);
  laterClient.dispose();
});

test("graphql-sse gives the errors of a refused subscription to its reader", async () => {
  const client = aClient();
  const changes = client.iterate({ query: 'subscription { runStatusChanged(runId: "run_unknown") { status } }' });
  const { value } = await changes.next();
  deepEqual(
    value.errors?.map(({ extensions }: { extensions: { code: string } }) => extensions.code),
    ["RUN_NOT_FOUND"],
  );
  equal((await changes.next()).done, true);
  client.dispose();
});

test("graphql-sse gives the status of a refused token to its reader", async () => {
  // a client tries five times by default
  const headers = { authorization: "Bearer garbage" };
  const client = createClient({ url: caller.graphUrl, headers, retryAttempts: 0 });
  await rejects(client.iterate({ query: "{ __typename }" }).next(), {
    message: "Server responded with 401: Unauthorized",
  });
  client.dispose();
});
