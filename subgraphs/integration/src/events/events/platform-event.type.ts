import { DateTime, JsonObject } from "@factory/runtime/graphql/scalars";
import { Field, ID, ObjectType } from "type-graphql";

@ObjectType("PlatformEvent", { simpleResolvers: true })
export class PlatformEventType {
  @Field(() => ID)
  eventId: string;

  @Field()
  type: string;

  @Field(() => DateTime)
  time: string;

  @Field(() => ID)
  tenantId: string;

  @Field({ description: "/catalog, /integration or /spine" })
  source: string;

  @Field({ description: "<resource>/<id>" })
  subjectPath: string;

  @Field(() => JsonObject)
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

  @Field(() => String, { nullable: true })
  causationId: string | null;

  @Field()
  schemaVersion: string;
}
