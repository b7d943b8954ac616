import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";

/** The name of an HTTP header (RFC 9110, section 5.1). */
export const headerPattern = "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$";

@InputType({ description: "The names of the members of a signature header like t=1700000000,v1=…." })
export class SignatureFieldsInput {
  @Field({ description: "The member with the time, for example t." })
  @Constraint({ pattern: "^[A-Za-z0-9_]{1,20}$" })
  timestamp: string;

  @Field({ description: "The member with a signature, for example v1. It may occur several times." })
  @Constraint({ pattern: "^[A-Za-z0-9_]{1,20}$" })
  signature: string;
}

@InputType({ description: "How deliveries are signed. Which members are needed depends on the kind." })
export class SignatureSchemeInput {
  @Field({ description: "hmac, token, standard-webhooks, ecdsa or jws." })
  @Constraint({ maxLength: 100 })
  kind: string;

  @Field(() => String, { nullable: true, description: "For hmac: sha1, sha256 or sha512." })
  @Constraint({ maxLength: 100 })
  algorithm?: string | null;

  @Field(() => String, { nullable: true, description: "The name of the header with the signature or the token." })
  @Constraint({ pattern: headerPattern })
  header?: string | null;

  @Field(() => String, { nullable: true, description: "For hmac: hex or base64." })
  @Constraint({ maxLength: 100 })
  encoding?: string | null;

  @Field(() => String, { nullable: true, description: "For hmac: printable ASCII characters before the signature." })
  @Constraint({ maxLength: 50, pattern: "^[\\x21-\\x7e]*$" })
  prefix?: string | null;

  @Field(() => String, { nullable: true, description: "For hmac and ecdsa: the header with seconds since 1970." })
  @Constraint({ pattern: headerPattern })
  timestampHeader?: string | null;

  @Field(() => SignatureFieldsInput, { nullable: true, description: "For hmac: the header is a list of members." })
  fields?: SignatureFieldsInput | null;

  @Field(() => String, {
    nullable: true,
    description:
      "For hmac and ecdsa: the signed text with {body}, {timestamp}, {url} and {form}. The default is {body}.",
  })
  @Constraint({ maxLength: 200, pattern: "^[\\x20-\\x7e]*$" })
  signedContent?: string | null;

  @Field(() => String, { nullable: true, description: "For hmac: the query parameter with the SHA-256 of the body." })
  @Constraint({ pattern: "^[A-Za-z0-9_.-]{1,50}$" })
  bodyHashParameter?: string | null;

  @Field(() => [String], { nullable: true, description: "For jws: some of EdDSA, ES256, PS256 and RS256." })
  @Constraint({ minItems: 1, maxItems: 4, maxLength: 100 })
  algorithms?: string[] | null;

  @Field(() => String, { nullable: true, description: "For jws: the URL of the vendor's key set." })
  @Constraint({ maxLength: 2048, format: "uri" })
  jwksUrl?: string | null;
}
