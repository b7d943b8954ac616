import { DateTime } from "@factory/runtime/graphql/scalars";
import { Field, ID, Int, ObjectType } from "type-graphql";

@ObjectType("RemovedSecondFactors", { simpleResolvers: true })
export class RemovedSecondFactorsType {
  @Field(() => ID)
  userId: string;

  @Field(() => Int, { description: "How many second factors were removed. Recovery codes are not counted." })
  count: number;
}

@ObjectType("UnlockedSecondFactors", { simpleResolvers: true })
export class UnlockedSecondFactorsType {
  @Field(() => ID)
  userId: string;

  @Field(() => DateTime)
  unlockedAt: string;
}
