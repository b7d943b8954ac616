import { Field, ID, Int, ObjectType } from "type-graphql";

@ObjectType("RemovedSecondFactors", { simpleResolvers: true })
export class RemovedSecondFactorsType {
  @Field(() => ID)
  userId: string;

  @Field(() => Int, { description: "How many second factors were removed. Recovery codes are not counted." })
  count: number;
}
