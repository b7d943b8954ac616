import { enumType } from "@factory/runtime/graphql/enum-type";
import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { credentialReferencePattern } from "@factory/schema/credential-reference";
import {
  type AuthMode,
  authModes,
  type ConnectionHealth,
  type ConnectionStatus,
  connectionHealths,
  connectionStatuses,
} from "@factory/schema/vocabularies/connections";
import { Field, ID, InputType } from "type-graphql";

@InputType()
export class CreateConnectionInput {
  @Field(() => ID, { nullable: true, description: "The tenant of the caller. It may be left out." })
  tenantId?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 200 })
  projectId?: string | null;

  @Field(() => ID)
  @Constraint({ minLength: 1, maxLength: 100 })
  providerId: string;

  @Field()
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  displayName: string;

  @Field(() => enumType(authModes), {
    description: "The way to authenticate at the vendor. Only some ways can be used for calls; the others are stored.",
  })
  authMode: AuthMode;

  @Field(() => String, {
    nullable: true,
    description:
      "The name of a credential, for example secret://github. A name that no credential has is recorded as an external reference. A caller that chose a host of the provider needs integration.credentials.write too.",
  })
  @Constraint({ pattern: credentialReferencePattern })
  credentialRef?: string | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "Settings of the provider: at most 100 members with string values. accountId is the id of the account at the vendor; webhookSecretRef names the credential that verifies its deliveries. Every reader of the connection sees the values, so a secret belongs in a credential.",
  })
  configuration?: Record<string, unknown> | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "With true, a reference that names no credential of the tenant is refused. The default is false.",
  })
  strictReferences?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "With true, an authMode that does not match the authModel of the provider is refused. The default is false.",
  })
  strictAuthModel?: boolean | null;
}

@InputType({ description: "Members that are absent stay as they are." })
export class UpdateConnectionInput {
  @Field(() => ID, { nullable: true, description: "The tenant of the caller. It may be left out." })
  tenantId?: string | null;

  @Field(() => String, { nullable: true, description: "Null changes nothing, because a connection has a name." })
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  displayName?: string | null;

  @Field(() => String, { nullable: true, description: "Null removes the project." })
  @Constraint({ minLength: 1, maxLength: 200 })
  projectId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The name of a credential. Null removes the reference. A caller that chose a host of the provider needs integration.credentials.write too.",
  })
  @Constraint({ pattern: credentialReferencePattern })
  credentialRef?: string | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "Replaces all settings. Null removes them. Every reader of the connection sees the values, so a secret belongs in a credential.",
  })
  configuration?: Record<string, unknown> | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "With true, a reference that names no credential of the tenant is refused. The default is false.",
  })
  strictReferences?: boolean | null;
}

@InputType()
export class ConnectionMoveInput {
  @Field(() => String, { nullable: true, description: "The reason is shown as statusReason and is part of the event." })
  @Constraint({ minLength: 1, maxLength: 2000 })
  reason?: string | null;
}

@InputType({ description: "A connection must match every member that is given." })
export class ConnectionFilterInput {
  @Field(() => ID, { nullable: true })
  @Constraint({ maxLength: 100 })
  providerId?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 200 })
  projectId?: string | null;

  @Field(() => enumType(connectionStatuses), {
    nullable: true,
    description: "Not Deleted, since deleted connections are not listed.",
  })
  status?: ConnectionStatus | null;

  @Field(() => enumType(connectionHealths), { nullable: true })
  health?: ConnectionHealth | null;
}

/** The argument by which a mutation waits for the run that it starts. */
export const waitSecondsDescription = {
  nullable: true,
  description: "Waits for the run that it starts, at most 25 s, and answers what it has found.",
};
