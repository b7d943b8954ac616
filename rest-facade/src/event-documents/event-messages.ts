import { type CommandType, commandTypes } from "@factory/schema/command-names";
import { type EventType, eventTypes } from "@factory/schema/event-names";
import {
  commandSchemas,
  envelopeSchema,
  eventDescription,
  eventSchemas,
  type JsonSchema,
  schemaNameOf,
  schemaPathOf,
} from "@factory/schema/event-schemas";
import { type ExampleCommand, type ExampleEvent, exampleCommand, exampleEvent } from "@factory/schema/example-message";

/** A reference inside the document. */
export interface Reference {
  readonly $ref: string;
}

/** An AsyncAPI 3 message. `headers` are the CloudEvents attributes and `payload` is `data`. */
export interface EventMessage {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly contentType: "application/json";
  readonly tags: readonly { readonly name: string }[];
  readonly traits: readonly Reference[];
  readonly headers: JsonSchema;
  readonly payload: Reference;
  readonly examples: readonly {
    readonly name: string;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly payload: Readonly<Record<string, unknown>>;
  }[];
  /** The path to the JSON Schema for an event's `data`. */
  readonly "x-schema"?: string;
  /** The scopes: a reader needs one for an event, and an actor needs all for a command. */
  readonly "x-scopes": readonly string[];
}

const refTo = (kind: string, name: string): Reference => ({ $ref: `#/components/${kind}/${name}` });

/** The messages for all events that this release emits. */
export const eventMessages = (): Record<string, EventMessage> =>
  Object.fromEntries(
    [...eventSchemas.keys()].map((type) => [type, eventMessage(type, exampleEvent(type) as ExampleEvent)]),
  );

/** The messages for all commands. */
export const commandMessages = (): Record<string, EventMessage> =>
  Object.fromEntries(
    [...commandSchemas].map(([type, { description }]) => [
      type,
      commandMessage(type, description, exampleCommand(type) as ExampleCommand),
    ]),
  );

function eventMessage(type: EventType, example: ExampleEvent): EventMessage {
  const { source, readScopes } = eventTypes[type];
  return {
    ...message(type, source, eventDescription(type), example),
    traits: [refTo("messageTraits", "cloudEvent"), refTo("messageTraits", "webhook")],
    payload: refTo("schemas", schemaNameOf(type)),
    "x-schema": schemaPathOf(type),
    "x-scopes": readScopes,
  };
}

function commandMessage(type: CommandType, description: string, example: ExampleCommand): EventMessage {
  const { handler, scopes } = commandTypes[type];
  return {
    ...message(type, handler, description, example),
    traits: [refTo("messageTraits", "cloudEvent")],
    payload: refTo("schemas", type),
    "x-scopes": scopes,
  };
}

function message(type: string, tag: string, summary: string, { data, ...attributes }: ExampleEvent | ExampleCommand) {
  const { messagekind } = attributes;
  return {
    ...{ name: type, title: type, summary, contentType: "application/json" as const, tags: [{ name: tag }] },
    headers: { type: "object", properties: { type: { const: type }, messagekind: { const: messagekind } } },
    examples: [{ name: `an-example-of-${type}`, headers: attributes, payload: data }],
  };
}

const { data: _, timestamp: _timestamp, ...attributes } = envelopeSchema.properties ?? {};

/** The traits that messages share: the CloudEvents attributes, and a webhook's headers. */
export const messageTraits = {
  cloudEvent: {
    summary: "The CloudEvents 1.0 attributes with the extensions of the platform.",
    description:
      "A message is sent in the structured mode: its attributes are members of one JSON object, beside `data`. The schema `Envelope` describes this object.",
    correlationId: {
      location: "$message.header#/correlationid",
      description: "The chain to which the message belongs.",
    },
    headers: {
      type: "object",
      required: (envelopeSchema.required ?? []).filter((name) => name !== "data"),
      properties: attributes,
    },
  },
  webhook: {
    bindings: {
      http: {
        headers: {
          type: "object",
          required: ["webhook-id", "webhook-timestamp", "webhook-signature", "svc-schema-version", "content-type"],
          properties: {
            "webhook-id": { type: "string", description: "The id of the event, the same in every attempt." },
            "webhook-timestamp": { type: "string", description: "The time of the attempt, in seconds since 1970." },
            "webhook-signature": {
              type: "string",
              description:
                "The signatures of the body by the Standard Webhooks specification, one for each valid secret.",
            },
            "svc-schema-version": { type: "string", description: "The attribute `schemaversion`." },
            "content-type": {
              type: "string",
              description: "application/json or application/cloudevents+json, as the subscription says.",
            },
            traceparent: { type: "string", description: "The trace of the event (W3C Trace Context)." },
          },
        },
        bindingVersion: "0.3.0",
      },
    },
  },
};

/**
 * The schemas for all messages' data, and for the envelope. A schema has no `$id`, since it is referred to by its
 * place.
 */
export function messageSchemas(): Record<string, JsonSchema> {
  const events = [...eventSchemas].map(([type, schema]) => [schemaNameOf(type), embeddedSchema(schema)] as const);
  const commands = [...commandSchemas].map(([type, schema]) => [type, embeddedSchema(schema)] as const);
  return Object.fromEntries([...events, ...commands, ["Envelope", embeddedSchema(envelopeSchema)]]);
}

const embeddedSchema = ({ $schema: _schema, $id: _id, ...schema }: JsonSchema): JsonSchema => schema;
