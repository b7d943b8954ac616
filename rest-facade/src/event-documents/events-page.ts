import { type Html, html } from "@factory/runtime/html/html";
import { eventTypes } from "@factory/schema/event-names";
import type { AsyncApiDocument } from "./async-api.js";
import type { EventMessage } from "./event-messages.js";
import { inlineCode } from "./inline-code.js";
import { memberTable } from "./member-table.js";
import { textPage } from "./page-style.js";

interface Group {
  readonly id: string;
  readonly title: string;
  readonly introduction: string;
  readonly messages: readonly EventMessage[];
}

const nameOfVendorSchema = "#/components/schemas/VendorEventReceived";

function groupsOf({ components, channels, info }: AsyncApiDocument): Group[] {
  const messages = components.messages as unknown as Readonly<Record<string, EventMessage>>;
  const inChannel = (channel: "webhooks" | "commands") =>
    Object.keys(channels[channel].messages).flatMap((name) => messages[name] ?? []);
  const ownMessages = inChannel("webhooks").filter(({ name, payload }) => payload.$ref.endsWith(`/${name}`));
  return [
    ...info.tags.map(({ name, description }) => ({
      ...{ id: name, title: `Events of the ${name}`, introduction: description },
      messages: ownMessages.filter(({ tags }) => tags[0]?.name === name),
    })),
    {
      ...{ id: "commands", title: "Commands", introduction: channels.commands.description },
      messages: inChannel("commands"),
    },
  ];
}

/** The names of vendors' events, which share one schema. */
const vendorNames = ({ components }: AsyncApiDocument): string[] =>
  Object.values(components.messages as unknown as Readonly<Record<string, EventMessage>>)
    .filter(({ name, payload }) => payload.$ref === nameOfVendorSchema && name !== "VendorEventReceived")
    .map(({ name }) => name)
    .sort();

/** The page with all events and commands, made from the AsyncAPI document. */
export function eventsPage(document: AsyncApiDocument, bar: Html): string {
  const { info, components } = document;
  const groups = groupsOf(document);
  return textPage({
    ...{ title: info.title, bar },
    navigation: html`<nav aria-label="Events">
<ul><li><a href="#receive">Receive events</a></li><li><a href="#attributes">Attributes</a></li><li><a href="#vendors">Events of vendors</a></li></ul>
${groups.map(index)}
</nav>`,
    content: html`<h1>${info.title}</h1>
<p class="lead">${inlineCode(info.description)}</p>
<p>Machines read the same as <a href="/asyncapi.json">AsyncAPI 3</a>. The REST API is described <a href="/docs">on a page of its own</a>, and <a href="/docs/guides">guides</a> have examples.</p>
${receiving(document)}
<h2 id="attributes">Attributes of every event</h2>
<p>${inlineCode(components.messageTraits.cloudEvent.description)}</p>
<article>${memberTable(components.messageTraits.cloudEvent.headers)}</article>
${groups.map((group) => section(group, document))}
<h2 id="vendors">Events of vendors</h2>
<p>A delivery of a known vendor becomes an event in the words of the platform. These types have the data of <a href="#VendorEventReceived">VendorEventReceived</a>, which is also the type of an event with any other name.</p>
<ul class="names">${vendorNames(document).map((name) => html`<li><code id="${name}">${name}</code></li>`)}</ul>`,
  });
}

const index = ({ id, title, messages }: Group) => html`<details><summary>${title}</summary>
<ul><li><a href="#${id}">All ${String(messages.length)}</a></li>${messages.map(({ name }) => html`<li><a href="#${name}">${name}</a></li>`)}</ul></details>`;

function receiving({ channels, components }: AsyncApiDocument): Html {
  const { webhooks, subscription } = channels;
  const subscribe = {
    eventType: "TemplateExecuted",
    endpointUrl: "https://receiver.example.com/events",
    signingSecretRef: "secret://events",
  };
  const [example] = components.messages.subscribe.examples;
  return html`<h2 id="receive">Receive events</h2>
<article><h3>${webhooks.title}</h3><p>${inlineCode(webhooks.description)}</p>
<pre tabindex="0"><code>POST /webhooks/subscriptions
${JSON.stringify(subscribe, undefined, 2)}</code></pre>
<p>The answer shows the new secret once. Verify <code>webhook-signature</code> with a library of Standard Webhooks, and use <code>webhook-id</code> to recognize an event that arrives twice. <code>POST /webhooks/subscriptions/{subscriptionId}/examples</code> sends an example of any type, with the attribute <code>test</code>.</p>
<details><summary>Headers of a request</summary>${memberTable(components.messageTraits.webhook.bindings.http.headers)}</details></article>
<article><h3>Pulling</h3><p>A consumer without a public address reads the events of a subscription, also of one that was created with <code>"active": false</code>. It keeps <code>nextCursor</code> for its next request. Events are kept for 7 days.</p>
<pre tabindex="0"><code>GET /webhooks/subscriptions/{subscriptionId}/events?limit=100&amp;cursor=&hellip;</code></pre></article>
<article><h3>${subscription.title}</h3><p>${inlineCode(`${subscription.summary} ${subscription.description}`)}</p>
<pre tabindex="0"><code>${JSON.stringify(example?.payload, undefined, 2)}</code></pre></article>`;
}

function section({ id, title, introduction, messages }: Group, { components }: AsyncApiDocument): Html {
  const schemas = components.schemas;
  return html`<h2 id="${id}">${title}</h2>
<p>${inlineCode(introduction)}</p>
${messages.map((message) => {
  const [example] = message.examples;
  const whole = { ...example?.headers, data: example?.payload };
  const schema = message["x-schema"];
  return html`<article id="${message.name}"><h3><a href="#${message.name}">${message.name}</a></h3>
<p>${inlineCode(message.summary)}</p>
<dl class="facts"><div><dt>${isEvent(message) ? "Read with " : "Its actor needs "}</dt><dd>${codes(message["x-scopes"])}</dd></div>${schema && html`<div><dt>Schema </dt><dd><a href="${schema}">${schema}</a></dd></div>`}</dl>
${memberTable(schemas[message.name] ?? {})}
<details><summary>Example</summary><pre tabindex="0"><code>${JSON.stringify(whole, undefined, 2)}</code></pre></details></article>
`;
})}`;
}

const isEvent = ({ name }: EventMessage): boolean => Object.hasOwn(eventTypes, name);

const codes = (names: readonly string[]) =>
  names.map((name, place) => html`${place === 0 ? undefined : " or "}<code>${name}</code>`);
