import { scopes } from "@factory/schema/scopes";
import { apiVersion } from "../http/match-version.js";
import { commandMessages, eventMessages, messageSchemas, messageTraits, type Reference } from "./event-messages.js";
import { clientFrames, serverFrames } from "./websocket-messages.js";

export type AsyncApiDocument = ReturnType<typeof describeEvents>;

/** AsyncAPI 3 for all events and commands, made from the contract in `schema/`. */
export function describeEvents(publicUrl: string) {
  const events = eventMessages();
  const commands = commandMessages();
  const { host, protocol } = new URL(publicUrl);
  return {
    asyncapi: "3.0.0",
    id: "urn:factory:platform:events",
    info: {
      title: "Events of the software factory platform",
      version: apiVersion,
      description:
        "Events go to webhooks and to subscriptions over a websocket or an event stream (Accept: text/event-stream at /graphql). Every event is a CloudEvents 1.0 message. Members may be added to `data` within a major version, so ignore members that you do not know.",
      contact: { name: "The operator of this platform", url: publicUrl },
      license: { name: "All rights reserved" },
      tags: tags.map(([name, description]) => ({ name, description })),
      externalDocs: { url: `${publicUrl}/docs/events`, description: "The same for people." },
    },
    defaultContentType: "application/json",
    servers: {
      receiver: {
        host: "{host}",
        protocol: "https",
        title: "A receiver of webhooks",
        description: "The server of an `endpointUrl`, which the subscriber operates.",
        variables: { host: { description: "The host of the endpointUrl.", examples: ["receiver.example.com"] } },
      },
      platform: {
        host,
        protocol: protocol === "https:" ? "wss" : "ws",
        title: "The websocket of the platform",
        description: "The access token is in the frame `connection_init`.",
        security: [{ $ref: "#/components/securitySchemes/oauth2" }],
      },
      bus: {
        host: "bus.internal",
        protocol: "postgresql",
        title: "The bus of the platform",
        description: "It connects the subgraphs and cannot be reached from outside.",
      },
    },
    channels: {
      webhooks: {
        address: null,
        title: "Webhooks",
        summary: "Events that the platform sends to the endpointUrl of a webhook subscription.",
        description:
          "`POST /webhooks/subscriptions` creates a subscription for one event type. The body of a request is one event as a JSON object: the attributes beside `data`. A request is repeated with the same `webhook-id` until the receiver answers 2xx.",
        servers: [{ $ref: "#/servers/receiver" }],
        messages: listed(events),
      },
      subscription: {
        address: "/graphql",
        title: "Subscription over a websocket",
        summary: "The field `events` of the GraphQL API, in the protocol graphql-transport-ws.",
        description:
          "The subscription gives stored events after a cursor, then new ones. Events are kept for 7 days. The token decides which types it gives. The socket closes with 4403 when its token has ended, with 4420 when its principal has 20 others, with 1013 when the token could not be checked, and with 1001 when the platform stops.",
        servers: [{ $ref: "#/servers/platform" }],
        messages: listed({ ...clientFrames, ...serverFrames }),
        bindings: {
          ws: {
            method: "GET",
            headers: {
              type: "object",
              required: ["sec-websocket-protocol"],
              properties: { "sec-websocket-protocol": { type: "string", const: "graphql-transport-ws" } },
            },
            bindingVersion: "0.1.0",
          },
        },
      },
      commands: {
        address: "commands",
        title: "Commands",
        summary: "Work that one subgraph asks another one to do for an actor.",
        description:
          "Each command is answered by one event whose `causationid` is the id of the command. The same id again has no second effect.",
        servers: [{ $ref: "#/servers/bus" }],
        messages: listed(commands),
      },
    },
    operations: {
      sendWebhook: {
        action: "send",
        title: "Send a webhook",
        channel: { $ref: "#/channels/webhooks" },
        bindings: { http: { method: "POST", bindingVersion: "0.3.0" } },
      },
      acceptSubscription: {
        action: "receive",
        title: "Accept a subscription",
        channel: { $ref: "#/channels/subscription" },
        messages: of("subscription", Object.keys(clientFrames)),
        reply: {
          channel: { $ref: "#/channels/subscription" },
          messages: of("subscription", Object.keys(serverFrames)),
        },
      },
      handleCommand: {
        action: "receive",
        title: "Handle a command",
        channel: { $ref: "#/channels/commands" },
      },
    },
    components: {
      messages: { ...events, ...commands, ...clientFrames, ...serverFrames },
      messageTraits,
      schemas: messageSchemas(),
      securitySchemes: {
        oauth2: {
          type: "oauth2",
          description: "The scopes of a token decide about the event types. `x-scopes` of a message lists them.",
          flows: {
            clientCredentials: {
              tokenUrl: `${publicUrl}/connect/token`,
              availableScopes: Object.fromEntries(scopes.map((scope) => [scope, scope])),
            },
          },
        },
      },
    },
  };
}

const tags = [
  ["catalog", "Templates with their versions and executions, libraries, and compatibility."],
  ["integration", "Connections, credentials, webhooks, runs, and the events of vendors."],
  ["spine", "Tenants, users, roles, plans, approvals and settings."],
] as const;

function listed(messages: object): Record<string, Reference> {
  return Object.fromEntries(Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]));
}

const of = (channel: string, names: readonly string[]): Reference[] =>
  names.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` }));
