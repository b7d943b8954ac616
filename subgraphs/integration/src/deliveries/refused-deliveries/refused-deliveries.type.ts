import { DateTime } from "@factory/runtime/graphql/scalars";
import { Field, Float, ObjectType } from "type-graphql";

@ObjectType("RefusedDeliveries", {
  simpleResolvers: true,
  description:
    "The deliveries to the URL of a webhook subscription or a connection that were refused. A refusal is told after at most ten seconds, and forgotten when there was none for 90 days.",
})
export class RefusedDeliveriesType {
  @Field(() => Float, { description: "The number of refusals since firstRefusedAt." })
  count: number;

  @Field(() => String, {
    nullable: true,
    description:
      "A text, since a release may add codes: the code of the newest refusal, for example SIGNATURE_MISSING, SIGNATURE_EXPIRED or SIGNATURE_INVALID. The vendor may have had the answer SIGNATURE_INVALID instead. Null without a refusal.",
  })
  lastReason: string | null;

  @Field(() => DateTime, { nullable: true, description: "The time from which count counts. Null without a refusal." })
  firstRefusedAt: string | null;

  @Field(() => DateTime, { nullable: true, description: "The time of the newest refusal. Null without a refusal." })
  lastRefusedAt: string | null;
}
