import { DateTime } from "@factory/runtime/graphql/scalars";
import { Field, ID, ObjectType } from "type-graphql";
import type { CredentialState } from "../credentials/credentials/credential.states.js";
import { CredentialStatus } from "../credentials/credentials/credential.type.js";

@ObjectType("CredentialRotation", { simpleResolvers: true })
export class CredentialRotationType {
  @Field(() => ID)
  credentialId: string;

  @Field(() => CredentialStatus)
  status: CredentialState;

  @Field({ description: "secret://<name>#v<n>, which is used after its verification." })
  newVersionRef: string;

  @Field(() => ID, { description: "The run that verifies the new version." })
  verificationRunId: string;

  @Field(() => String, {
    nullable: true,
    description: "A generated secret is shown here once; null in a repeated response and for a given secret.",
  })
  signingSecret: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "The new version waits for its secret until this time, and its run waits too. Give the secret by another rotation request; otherwise the rotation fails then. Null where the secret is there.",
  })
  materialDueAt: string | null;
}
