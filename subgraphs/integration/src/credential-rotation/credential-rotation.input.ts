import { enumType } from "@factory/runtime/graphql/enum-type";
import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { type RotationReason, rotationReasons } from "@factory/schema/vocabularies/credentials";
import { Field, ID, InputType, Int } from "type-graphql";

const maxGraceSeconds = 604_800;
const maxIntervalDays = 3650;

@InputType()
export class RotateCredentialInput {
  @Field(() => ID, { nullable: true, description: "The tenant of the caller. It may be left out." })
  tenantId?: string | null;

  @Field(() => ID)
  credentialId: string;

  @Field(() => enumType(rotationReasons), {
    nullable: true,
    description: "The default is ManualRotation. CompromiseSuspected has no grace period.",
  })
  reason?: RotationReason | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "The new secret, with the members that the kind requires. Without it, a secret of the kind WebhookSigning is generated; the new version of another kind waits 7 days for it. A second request gives it to the waiting version.",
  })
  secret?: Record<string, unknown> | null;

  @Field(() => Int, {
    nullable: true,
    description: "How long the replaced version stays in use. The default is that of the credential.",
  })
  @Constraint({ minimum: 0, maximum: maxGraceSeconds })
  graceSeconds?: number | null;

  @Field(() => String, { nullable: true, description: "When the vendor stops accepting the new secret (RFC 3339)." })
  @Constraint({ format: "date-time" })
  expiresAt?: string | null;
}

@InputType()
export class RevokeCredentialInput {
  @Field(() => String, { nullable: true, description: "The reason is part of the event." })
  @Constraint({ minLength: 1, maxLength: 2000 })
  reason?: string | null;
}

@InputType({ description: "A member that is absent keeps its value. A member that is null loses it." })
export class UpdateCredentialInput {
  @Field(() => String, { nullable: true, description: "When the vendor stops accepting the secret (RFC 3339)." })
  @Constraint({ format: "date-time" })
  expiresAt?: string | null;

  @Field(() => Int, { nullable: true, description: "How long a replaced version stays in use after a rotation." })
  @Constraint({ minimum: 0, maximum: maxGraceSeconds })
  graceSeconds?: number | null;

  @Field(() => Int, { nullable: true, description: "The number of days between two scheduled rotations." })
  @Constraint({ minimum: 1, maximum: maxIntervalDays })
  rotationIntervalDays?: number | null;
}
