import { type ValueOf, valuesOf, vocabulary } from "./vocabulary.js";

export const causalMemberKinds = vocabulary("CausalMemberKind", "The kinds of members of a causal chain.", {
  Event: "An event.",
  Command: "A command.",
  Run: "An integration run.",
  Delivery: "A delivery of a vendor.",
  Webhook: "A message to a webhook subscription.",
});
export type CausalMemberKind = ValueOf<typeof causalMemberKinds>;

export const eventAreas = vocabulary("EventArea", "The parts of the platform that record events.", {
  catalog: "Templates, libraries and executions.",
  integration: "Providers, connections, credentials and webhooks.",
  spine: "Tenants, people, rights, plans and notifications.",
});
export type EventArea = ValueOf<typeof eventAreas>;

/** The attribute `source` of an event. Not an enum, since a path is not a GraphQL name. */
export const eventSources = valuesOf(eventAreas).map((area) => `/${area}`);

/** The parts that write audit records. The gateway writes a record where it refuses a request itself. */
export const auditSources = [...eventSources, "/gateway"];
