import { enumType } from "@factory/runtime/graphql/enum-type";
import { type EventArea, eventAreas } from "@factory/schema/vocabularies/events";
import { Field, InputType } from "type-graphql";

@InputType()
export class EventTypeFilterInput {
  @Field(() => enumType(eventAreas), { nullable: true })
  source?: EventArea | null;

  @Field(() => Boolean, { nullable: true, description: "Only types that the token may read, or only the others." })
  readable?: boolean | null;
}
