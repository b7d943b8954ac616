import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { credentialReferencePattern } from "@factory/schema/credential-reference";
import { Field, ID, InputType } from "type-graphql";

@InputType()
export class CreateCredentialInput {
  @Field(() => ID, { nullable: true, description: "The caller's own tenant, or absent." })
  tenantId?: string | null;

  @Field({ description: "Letters, digits and ._:/@+-, unique in the tenant; secret://<name> is accepted too." })
  @Constraint({ pattern: credentialReferencePattern })
  name: string;

  @Field(() => String, {
    nullable: true,
    description: "WebhookSigning, ApiKey, Basic, BearerToken, SshKey or Custom (the default).",
  })
  @Constraint({ maxLength: 100 })
  kind?: string | null;

  @Field(() => JsonObject, {
    description:
      'For WebhookSigning {"signingSecret": "whsec_…"}, for Basic {"username", "password"}, for BearerToken {"token"}, for SshKey {"username" (git when absent), "privateKey" (unencrypted), "knownHosts"}. A member "hosts", as ["git.example", "git.example:8443"], lets it be sent nowhere else. Never shown again.',
  })
  secret: Record<string, unknown>;
}
