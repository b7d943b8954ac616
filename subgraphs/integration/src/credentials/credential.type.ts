import type { AuthRule } from "@factory/runtime/graphql/auth";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { Directive, Field, ID, ObjectType, registerEnumType } from "type-graphql";
import type { CredentialState } from "./credential.states.js";

export const CredentialStatus = {
  Active: "Active",
  Rotating: "Rotating",
  RotationFailed: "RotationFailed",
  Expired: "Expired",
  Revoked: "Revoked",
} as const satisfies { [State in CredentialState]: State };
registerEnumType(CredentialStatus, { name: "CredentialStatus" });

/** What reading a credential needs, by a root field or from another entity. */
export const readCredentials = { scopes: ["integration.credentials.read"] } as const satisfies AuthRule;

/** The secret itself is in no type of this schema. */
@ObjectType("Credential", { simpleResolvers: true })
@Directive('@key(fields: "credentialId")')
export class CredentialType {
  @Field(() => ID)
  credentialId: string;

  @Field({ description: "Unique in the tenant; what fields named …Ref refer to." })
  name: string;

  @Field({ description: "secret://<name>: always the current version." })
  credentialRef: string;

  @Field({ description: "secret://<name>#v<n>" })
  currentVersionRef: string;

  @Field(() => CredentialStatus)
  status: CredentialState;

  @Field(() => DateTime)
  createdAt: string;
}
