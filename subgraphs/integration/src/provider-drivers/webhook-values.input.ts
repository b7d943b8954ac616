import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";

/** Empty, or beginning with another character than a space. */
export const printable = "^(?:[\\x21-\\x7e][\\x20-\\x7e]*)?$";
const onePath =
  "(?:header:[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}|body:(?:/[^\\s/]{1,100}){1,10}|(?:form|text):[\\x21-\\x7e]{1,100})";
export const pathPattern = `^${onePath}$`;
export const joinedPattern = `^${onePath}(?: & ${onePath}){0,3}$`;
export const pathMeaning = "header:<name>, body:<JSON pointer>, form:<name> or text:<constant>.";

@InputType({ description: "How the vendor tests the URL of a webhook." })
export class WebhookChallengeInput {
  @Field({ description: pathMeaning })
  @Constraint({ maxLength: 1200, pattern: pathPattern })
  when: string;

  @Field({ description: "The value that tells the test from a delivery." })
  @Constraint({ minLength: 1, maxLength: 200 })
  equals: string;

  @Field({ description: pathMeaning })
  @Constraint({ maxLength: 1200, pattern: pathPattern })
  answer: string;
}

@InputType({ description: "A text that is added to the action of a delivery in which a value stands." })
export class WebhookActionMarkInput {
  @Field({ description: pathMeaning })
  @Constraint({ maxLength: 1200, pattern: pathPattern })
  when: string;

  @Field({ description: "The value with which the mark is added." })
  @Constraint({ minLength: 1, maxLength: 200 })
  equals: string;

  @Field({ description: "The text, for example (merged)." })
  @Constraint({ minLength: 1, maxLength: 50, pattern: printable })
  mark: string;
}

const bodyPath = "^body:(?:/[^\\s/]{1,100}){1,10}$";

@InputType({ description: "A value in the payload of an event." })
export class VendorReportConditionInput {
  @Field({ description: "body:<JSON pointer>." })
  @Constraint({ maxLength: 1200, pattern: bodyPath })
  value: string;

  @Field()
  @Constraint({ minLength: 1, maxLength: 200 })
  equals: string;
}

@InputType({
  description: "An event of the vendor that tells the outcome of a command. It has vendorId or commandId, or both.",
})
export class VendorReportInput {
  @Field({ description: "The event name of the vendor, or its normalized name." })
  @Constraint({ minLength: 1, maxLength: 200 })
  event: string;

  @Field({
    description:
      "EmailDelivered, EmailBounced, SmsDelivered, SmsFailed, PaymentCharged, PaymentFailed, PaymentRefunded or RefundFailed.",
  })
  @Constraint({ maxLength: 100 })
  outcome: string;

  @Field(() => VendorReportConditionInput, {
    nullable: true,
    description: "The event is a report only where this value stands in its payload.",
  })
  when?: VendorReportConditionInput | null;

  @Field(() => String, { nullable: true, description: "The place of the vendor's id: body:<JSON pointer>." })
  @Constraint({ maxLength: 1200, pattern: bodyPath })
  vendorId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The place of the id of the command, which the request of the command has given to the vendor.",
  })
  @Constraint({ maxLength: 1200, pattern: bodyPath })
  commandId?: string | null;
}
