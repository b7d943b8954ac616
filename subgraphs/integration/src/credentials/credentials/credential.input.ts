import { enumType } from "@factory/runtime/graphql/enum-type";
import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { credentialReferencePattern } from "@factory/schema/credential-reference";
import {
  type CredentialKind,
  type CredentialStatus,
  credentialKinds,
  credentialStatuses,
} from "@factory/schema/vocabularies/credentials";
import { Field, ID, InputType, Int } from "type-graphql";

const maxGraceSeconds = 604_800;
const maxIntervalDays = 3650;

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

  @Field(() => enumType(credentialKinds), { nullable: true, description: "The default is Custom." })
  kind?: CredentialKind | null;

  @Field(() => JsonObject, {
    description:
      'The members depend on the kind. WebhookSigning: {"signingSecret": "whsec_…"}, or "whsk_…" for ed25519. Basic: {"username", "password"}, with "ca" (PEM) for a mail server of a private authority. BearerToken: {"token"}. ApiKey: {"apiKey"}, or "key" or "token". SshKey: {"username" (default git), "privateKey" (without a passphrase), "knownHosts"}. OAuth2Client: {"clientId", "clientSecret" or "privateKey" with "keyId"; neither for a public client}. JwtBearer: {"issuer", "subject", "audience", "privateKey", "keyId", "algorithm"}. HmacSignature: {"keyId", "secret"}. MutualTls: {"certificate", "privateKey", "ca"}. VendorWebhookSecret: {"secret" or "publicKey"}. With a member "hosts", for example ["git.example", "git.example:8443"], the secret is sent only to these hosts. The API never returns the secret.',
  })
  secret: Record<string, unknown>;

  @Field(() => String, {
    nullable: true,
    description: "When the vendor stops accepting the secret (RFC 3339). Warnings come 30, 7 and 1 days before.",
  })
  @Constraint({ format: "date-time" })
  expiresAt?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "How long a replaced version stays in use after a rotation. The default is 24 hours.",
  })
  @Constraint({ minimum: 0, maximum: maxGraceSeconds })
  graceSeconds?: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "The number of days between two scheduled rotations. A kind that the platform cannot generate gets a warning instead.",
  })
  @Constraint({ minimum: 1, maximum: maxIntervalDays })
  rotationIntervalDays?: number | null;
}

@InputType({ description: "A credential must match every member that is given." })
export class CredentialFilterInput {
  @Field(() => enumType(credentialStatuses), { nullable: true })
  status?: CredentialStatus | null;

  @Field(() => enumType(credentialKinds), { nullable: true })
  kind?: CredentialKind | null;

  @Field(() => String, { nullable: true, description: "Only credentials that expire before this time (RFC 3339)." })
  @Constraint({ format: "date-time" })
  expiresBefore?: string | null;
}
