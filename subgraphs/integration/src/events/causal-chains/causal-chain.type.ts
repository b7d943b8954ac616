import { enumType } from "@factory/runtime/graphql/enum-type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { causalMemberKinds } from "@factory/schema/vocabularies/events";
import { Field, ID, ObjectType } from "type-graphql";

const CausalMemberKind = enumType(causalMemberKinds);
/** The kind of a chain's member. */
type CausalMemberKind = keyof typeof CausalMemberKind;

@ObjectType("CausalMember", {
  simpleResolvers: true,
  description: "A member that the token may not read shows its kind, type and time only.",
})
export class CausalMemberType {
  @Field(() => CausalMemberKind)
  kind: CausalMemberKind;

  @Field(() => String, {
    nullable: true,
    description:
      "The type of an event or a command, the operation of a run, the event type of a delivery or a webhook. Null for a command of the catalog whose answer does not name it. A text, since vendors have events of their own.",
  })
  type: string | null;

  @Field(() => DateTime, { description: "When it began, for example the reception of a delivery." })
  time: string;

  @Field({ description: "True if the token may read the member." })
  readable: boolean;

  @Field(() => ID, {
    nullable: true,
    description:
      "The id of the event, command, run, delivery or webhook message, as kind says. Null if the token may not read the member.",
  })
  id: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The state of a run, a delivery, a webhook, or a command to a vendor. A text, since each kind has its own states.",
  })
  status: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "The id of the event or command that caused this member, if one did.",
  })
  causationId: string | null;

  @Field(() => String, { nullable: true, description: "<resource>/<id>" })
  subjectPath: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The trace in which the member arose, as 32 hexadecimal digits. Null for a webhook, and if the token may not read the member.",
  })
  traceId: string | null;

  connectionId: string | null;
}

@ObjectType("CausalChain", { simpleResolvers: true })
export class CausalChainType {
  @Field(() => String, {
    nullable: true,
    description:
      "The correlation id that all members share. Null if the token may not read the event that was asked for.",
  })
  correlationId: string | null;

  @Field(() => [CausalMemberType], { description: "The members, oldest first." })
  members: CausalMemberType[];

  @Field({ description: "True if there are more than 500 members; the later ones are left out." })
  truncated: boolean;

  @Field({
    description:
      "False if the tenant has so many events that not all of the last 7 days were searched, only those nearest to the event: 50,000 before it and 50,000 after it.",
  })
  complete: boolean;
}
