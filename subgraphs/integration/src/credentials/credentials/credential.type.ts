import type { AuthRule } from "@factory/runtime/graphql/auth";
import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { type CredentialKind, credentialKinds, credentialStatuses } from "@factory/schema/vocabularies/credentials";
import { Field, ID, Int, ObjectType } from "type-graphql";
import type { CredentialState } from "./credential.states.js";

export const CredentialStatus = enumType(credentialStatuses);

/** The scopes for reading a credential, through a root field or through another entity. */
export const readCredentials = { scopes: ["integration.credentials.read"] } as const satisfies AuthRule;

/** The GraphQL type for credentials. No type in the schema contains the secret. */
@ObjectType("Credential", { implements: NodeType, simpleResolvers: true })
@NodeKey("credentialId")
export class CredentialType {
  @Field(() => ID)
  credentialId: string;

  @Field({ description: "The name is unique in the tenant. Fields whose name ends with Ref refer to it." })
  name: string;

  @Field({ description: "secret://<name>, which always means the current version." })
  credentialRef: string;

  @Field({ description: "secret://<name>#v<n>" })
  currentVersionRef: string;

  @Field(() => enumType(credentialKinds))
  kind: CredentialKind;

  @Field(() => CredentialStatus)
  status: CredentialState;

  @Field(() => DateTime, {
    nullable: true,
    description: "When the vendor stops accepting the current version. Null if that is not known.",
  })
  expiresAt: string | null;

  @Field(() => Int, { description: "How long a replaced version stays in use after a rotation." })
  graceSeconds: number;

  @Field(() => Int, {
    nullable: true,
    description:
      "The number of days between two scheduled rotations, or null without a schedule. For a kind that the platform cannot generate, the event CredentialRotationDue is recorded instead of a rotation.",
  })
  rotationIntervalDays: number | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "When the next scheduled rotation is due; it begins once the credential is Active. Null without a schedule, and for a Revoked credential.",
  })
  nextRotationAt: string | null;

  @Field(() => ID, { nullable: true, description: "The run that verifies, or verified, the newest rotation." })
  verificationRunId: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "When the newest rotation fails if nobody gives it the new secret. Null when none waits. An Expired credential stays Expired meanwhile.",
  })
  materialDueAt: string | null;

  @Field(() => DateTime)
  createdAt: string;
}

export const CredentialConnection = connectionType("Credential", () => CredentialType, "By name.");
export type CredentialConnection = Connection<CredentialType>;
