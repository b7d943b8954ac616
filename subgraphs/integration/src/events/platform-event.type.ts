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
    description: "What `after` takes to resume behind this event; kept 7 days. Counts the events of the tenant alone.",
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
