import { DateTime } from "@factory/runtime/graphql/scalars";
import { Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import type { CredentialVersionState } from "./credential.states.js";

const CredentialVersionStage = {
  AwaitingMaterial: "AwaitingMaterial",
  Pending: "Pending",
  Current: "Current",
  Previous: "Previous",
  Retired: "Retired",
  Failed: "Failed",
} as const satisfies { [State in CredentialVersionState]: State };
registerEnumType(CredentialVersionStage, { name: "CredentialVersionStage" });

@ObjectType("CredentialVersion", {
  simpleResolvers: true,
  description: "One version of a credential. No type of the schema contains its secret.",
})
export class CredentialVersionType {
  @Field(() => Int)
  version: number;

  @Field({ description: "secret://<name>#v<n>" })
  versionRef: string;

  @Field(() => CredentialVersionStage)
  stage: CredentialVersionState;

  @Field(() => String, { nullable: true, description: "The reason of its rotation. The first version has none." })
  reason: string | null;

  @Field(() => ID, { nullable: true })
  verificationRunId: string | null;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => DateTime, { nullable: true })
  verifiedAt: string | null;

  @Field(() => DateTime, { nullable: true })
  promotedAt: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Until then a Previous version is used beside the Current one.",
  })
  graceEndsAt: string | null;

  @Field(() => DateTime, { nullable: true, description: "When its secret was destroyed." })
  retiredAt: string | null;

  @Field(() => DateTime, { nullable: true })
  failedAt: string | null;
}
