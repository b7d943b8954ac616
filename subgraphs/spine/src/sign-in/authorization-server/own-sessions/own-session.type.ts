import { enumType } from "@factory/runtime/graphql/enum-type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { type SessionKind, sessionKinds } from "@factory/schema/vocabularies/people";
import { Field, ID, Int, ObjectType } from "type-graphql";

@ObjectType("OwnSession", {
  simpleResolvers: true,
  description: "A browser in which the caller is signed in, or an application that can renew its tokens.",
})
export class OwnSessionType {
  @Field(() => ID)
  sessionId: string;

  @Field(() => enumType(sessionKinds))
  kind: SessionKind;

  @Field(() => String, { nullable: true, description: "The name of the application. Null for a browser." })
  clientName: string | null;

  @Field(() => String, { nullable: true, description: "The header User-Agent of the latest sign-in there." })
  userAgent: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The network address of the latest sign-in there; for IPv6 the network.",
  })
  address: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "The time of the latest sign-in in the browser, or of the authorization of the application. Null if it was not recorded.",
  })
  startedAt: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "The time at which the browser last used its sign-in, or the application last got tokens. Null if it was not recorded.",
  })
  lastSeenAt: string | null;

  @Field({ description: "Whether the token of this request comes from here." })
  isCurrent: boolean;
}

@ObjectType("OwnSessions", { simpleResolvers: true })
export class OwnSessionsType {
  @Field(() => [OwnSessionType], { description: "At most 200, the latest first." })
  items: OwnSessionType[];
}

@ObjectType("EndedSessions", { simpleResolvers: true })
export class EndedSessionsType {
  @Field(() => Int, { description: "How many sessions have ended: browsers, and applications with their tokens." })
  count: number;
}
