import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { clientPrincipalTypes } from "@factory/schema/vocabularies/people";
import { valuesOf } from "@factory/schema/vocabularies/vocabulary";
import { Field, InputType } from "type-graphql";
import { grantTypes } from "./grant-types.js";

@InputType()
export class CreateApiClientInput {
  @Field()
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  name: string;

  @Field(() => [String], {
    description:
      "The scopes of the client. For a client of the caller's own tenant: a subset of the caller's own scopes. Beside them, or alone, a client at which people sign in may have openid, profile, email and offline_access, which the caller does not need. Texts, since names with dots are not GraphQL names.",
  })
  @Constraint({ minItems: 1, maxItems: 100, minLength: 1, maxLength: 100 })
  scopes: string[];

  @Field(() => [String], {
    nullable: true,
    description:
      "The grant types that the client may use; the default is client_credentials. Texts, since one of them is a URN.",
  })
  @Constraint({ minItems: 1, maxItems: 10, values: grantTypes })
  grantTypes?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: "The default is Service. A text, since the documents that create the first clients write it as one.",
  })
  @Constraint({ values: valuesOf(clientPrincipalTypes) })
  principalType?: string | null;

  @Field(() => [String], {
    nullable: true,
    description:
      "Redirect URIs for authorization_code. A request must match one exactly; only the port of an http URI on a loopback address may differ. The scheme is https, or http on a loopback address.",
  })
  @Constraint({ minItems: 1, maxItems: 20, minLength: 1, maxLength: 2048 })
  redirectUris?: string[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "A client of the platform itself: users are not asked for consent, and it may use the password grant. Only a platform administrator creates one. In the platform's tenant it serves the users of all tenants.",
  })
  firstParty?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "A client without a secret, for applications that run on the device of the user. PKCE alone protects its sign-ins.",
  })
  public?: boolean | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "A JWK Set of 1 to 5 public keys, each with its own kid: EC P-256, Ed25519, or RSA of 2048 to 4096 bits. The client then has no secret and authenticates by private_key_jwt (RFC 7523).",
  })
  jwks?: Record<string, unknown> | null;
}

@InputType()
export class UpdateApiClientInput {
  @Field(() => String, { nullable: true, description: "The new name. If it is left out, the name stays unchanged." })
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  name?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: "The complete new list of redirect URIs. If it is left out, the redirect URIs stay unchanged.",
  })
  @Constraint({ minItems: 1, maxItems: 20, minLength: 1, maxLength: 2048 })
  redirectUris?: string[] | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "The complete new key set of a client that has keys. If it is left out, the keys stay unchanged. To replace a key without an interruption, set the old and the new key together, and later the new key alone.",
  })
  jwks?: Record<string, unknown> | null;
}
