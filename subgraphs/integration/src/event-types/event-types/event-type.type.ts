import { enumType } from "@factory/runtime/graphql/enum-type";
import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { scopes } from "@factory/schema/scopes";
import { type EventArea, eventAreas } from "@factory/schema/vocabularies/events";
import { Field, ObjectType } from "type-graphql";

@ObjectType("EventType", {
  simpleResolvers: true,
  description: "A type of event, for webhook subscriptions and for the subscription `events`.",
})
export class EventTypeType {
  @Field({
    description:
      "The value of `eventType` of a webhook subscription, for example TemplateExecuted. A text, since a release may add event types.",
  })
  type: string;

  @Field()
  description: string;

  @Field(() => enumType(eventAreas), { description: "The part of the platform that records these events." })
  source: EventArea;

  @Field(() => [String], {
    description:
      "A token needs one of these scopes to read events of this type. Texts, since names with dots are not GraphQL names.",
  })
  @Constraint({ values: scopes })
  readScopes: readonly string[];

  @Field({ description: "Only platform administrators read these events." })
  platformAdministratorsOnly: boolean;

  @Field({ description: "True if the token of this request may read events of this type." })
  readable: boolean;

  @Field({ description: "The path of the JSON Schema of `data`. It needs no token." })
  schemaUrl: string;

  @Field({ description: "The version of `data` as MAJOR.MINOR, as in the header svc-schema-version." })
  schemaVersion: string;

  @Field(() => JsonObject, { description: "The body of a webhook with an example event." })
  example: Record<string, unknown>;
}

export const EventTypeConnection = connectionType("EventType", () => EventTypeType, "In alphabetical order.");
/** A page of event types. */
export type EventTypeConnection = Connection<EventTypeType>;
