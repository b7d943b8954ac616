import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";

@InputType()
export class CreateApiClientInput {
  @Field()
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  name: string;

  @Field(() => [String], { description: "Scopes of a tenant; inside a tenant a subset of the caller's own." })
  @Constraint({ minItems: 1, maxItems: 100, minLength: 1, maxLength: 100 })
  scopes: string[];

  @Field(() => [String], { nullable: true, description: "Defaults to client_credentials." })
  @Constraint({ minItems: 1, maxItems: 10, minLength: 1, maxLength: 100 })
  grantTypes?: string[] | null;

  @Field(() => String, { nullable: true, description: "Service or Agent; defaults to Service." })
  @Constraint({ minLength: 1, maxLength: 50 })
  principalType?: string | null;

  @Field(() => [String], {
    nullable: true,
    description:
      "Where a sign-in returns to, compared as a whole: https, or http on a loopback address, there with any port. For authorization_code.",
  })
  @Constraint({ minItems: 1, maxItems: 20, minLength: 1, maxLength: 2048 })
  redirectUris?: string[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "One of the platform's own: nobody is asked for consent, and it may use the password grant. Only a platform administrator makes one; in the platform's tenant it serves the people of every tenant.",
  })
  firstParty?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Without a secret, for what runs on its user's own device; a sign-in is then proven by PKCE alone.",
  })
  public?: boolean | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "A JWK Set of 1 to 5 public keys, each with a kid of its own: EC P-256, Ed25519, or RSA of at least 2048 bits. Such a client has no secret; it proves who it is by private_key_jwt (RFC 7523).",
  })
  jwks?: Record<string, unknown> | null;
}

@InputType()
export class UpdateApiClientInput {
  @Field(() => String, { nullable: true, description: "Stays as it is unless given." })
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  name?: string | null;

  @Field(() => [String], { nullable: true, description: "Stay as they are unless given." })
  @Constraint({ minItems: 1, maxItems: 20, minLength: 1, maxLength: 2048 })
  redirectUris?: string[] | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "All keys of a client that has keys; they stay as they are unless given. The old one and the new one together, then the new one alone, change a key without a pause.",
  })
  jwks?: Record<string, unknown> | null;
}
