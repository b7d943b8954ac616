import { enumType } from "@factory/runtime/graphql/enum-type";
import { DateTime, JsonObject } from "@factory/runtime/graphql/scalars";
import { auditBreakReasons, auditVerificationStatuses } from "@factory/schema/vocabularies/governance";
import { Field, Float, Int, ObjectType } from "type-graphql";

const AuditVerificationStatus = enumType(auditVerificationStatuses);
type AuditVerificationStatus = keyof typeof AuditVerificationStatus;

const AuditBreakReason = enumType(auditBreakReasons);
type AuditBreakReason = keyof typeof AuditBreakReason;

@ObjectType("AuditBreak", { simpleResolvers: true })
export class AuditBreakType {
  @Field(() => Float, { description: "The first position at which the log is broken." })
  position: number;

  @Field(() => AuditBreakReason)
  reason: AuditBreakReason;

  @Field()
  detail: string;
}

@ObjectType("AuditSeal", { simpleResolvers: true, description: "A signed head of the audit log." })
export class AuditSealType {
  @Field(() => Float, { description: "The position of the newest record that the seal covers: a whole number." })
  position: number;

  @Field({ description: "Hexadecimal." })
  hash: string;

  @Field(() => DateTime)
  sealedAt: string;

  @Field({ description: "A compact JWS (RFC 7515, ES256) over tenantId, position, hash and sealedAt." })
  jws: string;
}

@ObjectType("AuditVerification", {
  simpleResolvers: true,
  description: "The result of checking a part of the audit log.",
})
export class AuditVerificationType {
  @Field(() => AuditVerificationStatus)
  status: AuditVerificationStatus;

  @Field(() => AuditBreakType, {
    nullable: true,
    description: "The first fault that this call found. Null unless the status is Broken.",
  })
  firstBroken: AuditBreakType | null;

  @Field(() => Float, { description: "The records up to this position were checked, in this call and those before." })
  checkedThrough: number;

  @Field(() => Float, { description: "The position of the newest record." })
  headPosition: number;

  @Field(() => Float, {
    description: "The chain starts after this position, because retention deleted the records up to it. 0: nothing.",
  })
  startPosition: number;

  @Field(() => Int, { description: "The number of seals that this call checked." })
  checkedSeals: number;

  @Field(() => AuditSealType, {
    nullable: true,
    description:
      "The latest seal of the tenant. Its jws can be kept and given to a later verification as `seal`. Null before the first seal.",
  })
  newestSeal: AuditSealType | null;

  @Field(() => [JsonObject], { description: "The public keys of all seals, as JWK (RFC 7517)." })
  keys: object[];

  @Field(() => String, { nullable: true, description: "The argument `after` of the next call; null at the end." })
  nextCursor: string | null;
}
