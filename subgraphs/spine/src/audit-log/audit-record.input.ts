import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { type AuditOutcome, auditOutcomes } from "@factory/schema/vocabularies/governance";
import { Field, InputType } from "type-graphql";

@InputType()
export class AuditRecordFilterInput {
  @Field(() => String, { nullable: true, description: "The id of the principal that acted." })
  @Constraint({ maxLength: 200 })
  principal?: string | null;

  @Field(() => String, { nullable: true, description: "For example `deleteUser`." })
  @Constraint({ maxLength: 200 })
  operation?: string | null;

  @Field(() => enumType(auditOutcomes), { nullable: true })
  outcome?: AuditOutcome | null;

  @Field(() => String, { nullable: true, description: "`<resource>/<id>`" })
  @Constraint({ maxLength: 500 })
  subject?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The code of a refusal, for example `INSUFFICIENT_SCOPE`. A text, since a release may add codes.",
  })
  @Constraint({ maxLength: 100 })
  code?: string | null;

  @Field(() => String, { nullable: true, description: "The earliest time (RFC 3339)." })
  @Constraint({ format: "date-time", maxLength: 40 })
  from?: string | null;

  @Field(() => String, { nullable: true, description: "The time (RFC 3339) before which the records are." })
  @Constraint({ format: "date-time", maxLength: 40 })
  to?: string | null;
}
