import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import {
  type CallMethod,
  probeMethods,
  type ReportedOutcome,
  reportedOutcomes,
} from "@factory/schema/vocabularies/providers";
import { type TimeFormat, timeFormats } from "@factory/schema/vocabularies/signatures";
import { Field, InputType } from "type-graphql";

/** The name that an HTTP header has (RFC 9110, section 5.1). */
export const headerPattern = "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$";
/** Empty, or beginning with another character than a space. */
export const printable = "^(?:[\\x21-\\x7e][\\x20-\\x7e]*)?$";
export const bodyPath = "^body:(?:/[^\\s/]{1,100}){1,10}$";
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

const requestPath = "^(?:header:[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}|query:[\\x21-\\x7e]{1,100})$";
const requestMeaning = "header:<name> or query:<name>.";

@InputType({
  description:
    "A request by which the vendor tests the deliveryUrl of a subscription or a connection. It is answered with a value of the request, of at most 1 KiB.",
})
export class WebhookUrlTestInput {
  @Field(() => enumType(probeMethods))
  method: CallMethod;

  @Field(() => String, {
    nullable: true,
    description: `The value that is the answer: ${requestMeaning} Without it the answer is empty.`,
  })
  @Constraint({ maxLength: 200, pattern: requestPath })
  answer?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The member of a JSON object that holds the value. Without it the answer is plain text.",
  })
  @Constraint({ pattern: "^[A-Za-z0-9_.-]{1,50}$" })
  member?: string | null;

  @Field(() => String, { nullable: true, description: `A value that tells the test from others: ${requestMeaning}` })
  @Constraint({ maxLength: 200, pattern: requestPath })
  when?: string | null;

  @Field(() => String, { nullable: true, description: "The value that when must have." })
  @Constraint({ minLength: 1, maxLength: 200 })
  equals?: string | null;
}

@InputType({ description: "A time in the body of a delivery, which must be at most 300 s from now." })
export class WebhookSignedTimeInput {
  @Field({ description: "body:<JSON pointer>." })
  @Constraint({ maxLength: 1200, pattern: bodyPath })
  value: string;

  @Field(() => enumType(timeFormats), { nullable: true, description: "The default is seconds." })
  format?: TimeFormat | null;
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

@InputType({ description: "A value in the payload of an event." })
class VendorReportConditionInput {
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

  @Field(() => enumType(reportedOutcomes))
  outcome: ReportedOutcome;

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
