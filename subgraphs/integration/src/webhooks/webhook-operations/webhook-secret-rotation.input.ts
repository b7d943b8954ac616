import { enumType } from "@factory/runtime/graphql/enum-type";
import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { type RotationReason, rotationReasons } from "@factory/schema/vocabularies/credentials";
import { Field, ID, InputType, Int } from "type-graphql";

const maxGraceSeconds = 604_800;

@InputType()
export class RotateWebhookSecretInput {
  @Field(() => ID, { nullable: true, description: "The tenant of the caller. It may be left out." })
  tenantId?: string | null;

  @Field(() => enumType(rotationReasons), {
    nullable: true,
    description: "The default is ManualRotation. CompromiseSuspected has no grace period.",
  })
  reason?: RotationReason | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "The new secret, with the members that the kind of the credential requires, for example signingSecret. Without it, a secret of the kind WebhookSigning is generated; the new version of another kind waits 7 days for it.",
  })
  secret?: Record<string, unknown> | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "How long the replaced secret signs beside the new one, or verifies. The default is that of the credential.",
  })
  @Constraint({ minimum: 0, maximum: maxGraceSeconds })
  graceSeconds?: number | null;
}
