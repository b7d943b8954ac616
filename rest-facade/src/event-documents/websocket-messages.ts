/** A subscription that selects every field of an event which has no separate type. */
const exampleSubscription =
  "subscription ($types: [String!], $after: String) { events(types: $types, after: $after) { eventId type time tenantId source subjectPath data cursor traceId correlationId causationId schemaVersion } }";

const text = { type: "string" };
const id = { type: "string", description: "The id that the client has chosen for the operation." };

function frame(type: string, summary: string, members: Record<string, object> = {}) {
  const properties = { type: { const: type }, ...members };
  return {
    ...{ name: type, title: type, summary, contentType: "application/json" },
    payload: { type: "object", required: Object.keys(properties), properties },
  };
}

const event = {
  type: "object",
  description: "The selected fields of one event.",
  properties: {
    eventId: text,
    type: { type: "string", description: "One of the types of the channel `webhooks`." },
    time: { type: "string", format: "date-time" },
    tenantId: text,
    source: text,
    subjectPath: text,
    data: { type: "object", description: "The payload of the message of this type in the channel `webhooks`." },
    cursor: { type: "string", description: "The value of `after` with which a later subscription continues." },
    traceId: text,
    correlationId: text,
    causationId: { type: ["string", "null"] },
    schemaVersion: text,
  },
};

const errors = { type: "array", items: { type: "object", required: ["message"], properties: { message: text } } };

/** The graphql-transport-ws frames that a client sends. */
export const clientFrames = {
  connectionInit: frame("connection_init", "The first frame. It carries the access token.", {
    payload: {
      type: "object",
      required: ["authorization"],
      properties: { authorization: { type: "string", description: "Bearer and the access token." } },
    },
  }),
  subscribe: {
    ...frame("subscribe", "Begins a subscription to events.", {
      id,
      payload: {
        type: "object",
        required: ["query"],
        properties: { query: text, variables: { type: "object" } },
      },
    }),
    examples: [
      {
        name: "from-the-first-stored-event-on",
        payload: {
          ...{ type: "subscribe", id: "1" },
          payload: { query: exampleSubscription, variables: { types: ["TemplateExecuted"], after: "0" } },
        },
      },
    ],
  },
};

/** The frames that the platform sends. Either side may send a frame `complete`. */
export const serverFrames = {
  connectionAck: frame("connection_ack", "The token is valid."),
  next: frame("next", "One event.", {
    id,
    payload: {
      type: "object",
      properties: { data: { type: ["object", "null"], properties: { events: event } }, errors },
    },
  }),
  error: frame("error", "The subscription was refused.", { id, payload: errors }),
  complete: frame("complete", "The subscription has ended.", { id }),
};
