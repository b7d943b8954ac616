import { enumType } from "@factory/runtime/graphql/enum-type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import {
  credentialVersionStages,
  type RotationReason,
  rotationReasons,
} from "@factory/schema/vocabularies/credentials";
import { Field, ID, Int, ObjectType } from "type-graphql";
import type { CredentialVersionState } from "./credential.states.js";

const CredentialVersionStage = enumType(credentialVersionStages);

@ObjectType("CredentialVersion", {
  simpleResolvers: true,
  description: "One version of a credential. No type of the schema contains its secret.",
})
export class CredentialVersionType {
  @Field(() => Int, { description: "From 1; each rotation adds 1." })
  version: number;

  @Field({ description: "secret://<name>#v<n>" })
  versionRef: string;

  @Field(() => CredentialVersionStage)
  stage: CredentialVersionState;

  @Field(() => enumType(rotationReasons), {
    nullable: true,
    description: "The reason of its rotation. The first version has none.",
  })
  reason: RotationReason | null;

  @Field(() => ID, {
    nullable: true,
    description: "The run that verifies, or verified, the version. Null for the first version.",
  })
  verificationRunId: string | null;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => DateTime, {
    nullable: true,
    description: "When its verification succeeded. Null before that, and for the first version.",
  })
  verifiedAt: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "When it last became Current, by its promotion or by a rollback. Null if it never was.",
  })
  promotedAt: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Until then a Previous version is used beside the Current one.",
  })
  graceEndsAt: string | null;

  @Field(() => DateTime, { nullable: true, description: "When its secret was destroyed." })
  retiredAt: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "When its rotation failed, or was ended by the revocation of the credential. Null unless the stage is Failed.",
  })
  failedAt: string | null;
}
