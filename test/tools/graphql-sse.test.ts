import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { type Client, createClient } from "graphql-sse";
import { Caller } from "./caller.ts";
import { nameOf, registerTemplate, type TemplateEvent, templateEvents } from "./subscriptions.ts";

const caller = await Caller.open();

const { headers } = await fetch(`${caller.graphUrl}?query={__typename}`, {
  headers: { ...caller.headers, accept: "text/event-stream" },
});
const skip = headers.get("content-type")?.startsWith("text/event-stream")
  ? false
  : "the platform serves no event stream";

const aClient = () => createClient({ url: caller.graphUrl, headers: caller.headers });

const eventsOf = (client: Client, after?: string) =>
  client.iterate<TemplateEvent>({ query: templateEvents, variables: { after } });

test("graphql-sse runs a query", { skip }, async () => {
  const client = aClient();
  const answers = client.iterate({ query: "{ me { tenantId } }" });
  deepEqual((await answers.next()).value, { data: { me: { tenantId: caller.tenant.tenantId } } });
  equal((await answers.next()).done, true);
  client.dispose();
});

test("graphql-sse follows events, and another client continues after the last cursor", { skip }, async () => {
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
