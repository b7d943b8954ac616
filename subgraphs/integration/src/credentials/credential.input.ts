import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { credentialReferencePattern } from "@factory/schema/credential-reference";
import { Field, ID, InputType } from "type-graphql";

@InputType()
export class CreateCredentialInput {
  @Field(() => ID, { nullable: true, description: "The tenant of the caller. It may be left out." })
  tenantId?: string | null;

  @Field({
    description:
      "The name has letters, digits and ._:/@+- and is unique in the tenant. The form secret://<name> is accepted too.",
  })
  @Constraint({ pattern: credentialReferencePattern })
  name: string;

  @Field(() => String, {
    nullable: true,
    description: "One of WebhookSigning, ApiKey, Basic, BearerToken, SshKey and Custom. The default is Custom.",
  })
  @Constraint({ maxLength: 100 })
  kind?: string | null;

  @Field(() => JsonObject, {
    description:
      'The members depend on the kind. WebhookSigning: {"signingSecret": "whsec_…"}. Basic: {"username", "password"}. BearerToken: {"token"}. SshKey: {"username" (default git), "privateKey" (without a passphrase), "knownHosts"}. With a member "hosts", for example ["git.example", "git.example:8443"], the secret is sent only to these hosts. The API never returns the secret.',
  })
  secret: Record<string, unknown>;
}
