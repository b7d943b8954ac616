import { DateTime, JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { eventSources } from "@factory/schema/vocabularies/events";
import { Field, ID, ObjectType } from "type-graphql";

@ObjectType("PlatformEvent", { simpleResolvers: true })
export class PlatformEventType {
  @Field(() => ID)
  eventId: string;

  @Field({ description: "For example TemplateExecuted. A text, since vendors have events of their own." })
  type: string;

  @Field(() => DateTime)
  time: string;

  @Field(() => ID)
  tenantId: string;

  @Field({
    description: "The part of the platform that recorded the event. A text, since a path is not a GraphQL name.",
  })
  @Constraint({ values: eventSources })
  source: string;

  @Field({ description: "<resource>/<id>" })
  subjectPath: string;

  @Field(() => JsonObject, {
    description:
      "The facts, as the JSON Schema of the type describes them. The query eventTypes has the path of that schema as schemaUrl.",
  })
  data: Record<string, unknown>;

  @Field({
    description:
      "A subscription with this value as `after` resumes after this event. It is valid for 7 days and counts only events of the tenant.",
  })
  cursor: string;

  @Field()
  traceId: string;

  @Field()
  correlationId: string;

  @Field(() => String, {
    nullable: true,
    description: "The id of the event or command that caused this event, if one did.",
  })
  causationId: string | null;

  @Field()
  schemaVersion: string;
}
