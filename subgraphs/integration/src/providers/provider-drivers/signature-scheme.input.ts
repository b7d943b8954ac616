import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";
import { bodyPath, headerPattern, printable } from "./webhook-values.input.js";

@InputType({ description: "The names of the members of a signature header like t=1700000000,v1=…." })
class SignatureFieldsInput {
  @Field(() => String, { nullable: true, description: "The member with the time, for example t." })
  @Constraint({ pattern: "^[A-Za-z0-9_]{1,20}$" })
  timestamp?: string | null;

  @Field({ description: "The member with a signature, for example v1. It may occur several times." })
  @Constraint({ pattern: "^[A-Za-z0-9_]{1,20}$" })
  signature: string;
}

@InputType({ description: "How deliveries are signed. Which members are needed depends on the kind." })
export class SignatureSchemeInput {
  @Field({ description: "hmac, token, standard-webhooks, ecdsa, ed25519 or jws." })
  @Constraint({ maxLength: 100 })
  kind: string;

  @Field(() => String, { nullable: true, description: "For hmac: sha1, sha256 or sha512." })
  @Constraint({ maxLength: 100 })
  algorithm?: string | null;

  @Field(() => String, { nullable: true, description: "The name of the header with the signature or the token." })
  @Constraint({ pattern: headerPattern })
  header?: string | null;

  @Field(() => String, { nullable: true, description: "For hmac and ed25519: hex or base64, of the signature." })
  @Constraint({ maxLength: 100 })
  encoding?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "For hmac: text, base64 or hex, of the key in the secret. The default is text.",
  })
  @Constraint({ maxLength: 100 })
  keyEncoding?: string | null;

  @Field(() => String, { nullable: true, description: "For hmac: printable ASCII characters before the signature." })
  @Constraint({ maxLength: 50, pattern: "^[\\x21-\\x7e]*$" })
  prefix?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "For hmac: comma or space, which is the character between several signatures.",
  })
  @Constraint({ maxLength: 100 })
  separator?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The header with the vendor's id of the delivery, if it is signed.",
  })
  @Constraint({ pattern: headerPattern })
  idHeader?: string | null;

  @Field(() => String, { nullable: true, description: "The header with the time, if it is signed." })
  @Constraint({ pattern: headerPattern })
  timestampHeader?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "seconds or milliseconds since 1970, or iso8601. The default is seconds.",
  })
  @Constraint({ maxLength: 100 })
  timestampFormat?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "For token: the place of the secret in the body, or in each event: body:<JSON pointer>.",
  })
  @Constraint({ maxLength: 1200, pattern: bodyPath })
  value?: string | null;

  @Field(() => SignatureFieldsInput, { nullable: true, description: "For hmac: the header is a list of members." })
  fields?: SignatureFieldsInput | null;

  @Field(() => String, {
    nullable: true,
    description:
      "For hmac, ecdsa and ed25519: the signed text with {body}, {timestamp}, {id}, {url} and {form}. The default is {body} for hmac, and {timestamp}{body} for the others.",
  })
  @Constraint({ maxLength: 200, pattern: printable })
  signedContent?: string | null;

  @Field(() => String, { nullable: true, description: "For hmac: the query parameter with the SHA-256 of the body." })
  @Constraint({ pattern: "^[A-Za-z0-9_.-]{1,50}$" })
  bodyHashParameter?: string | null;

  @Field(() => [String], { nullable: true, description: "For jws: some of EdDSA, ES256, PS256 and RS256." })
  @Constraint({ minItems: 1, maxItems: 4, maxLength: 100 })
  algorithms?: string[] | null;

  @Field(() => String, { nullable: true, description: "For jws: the URL of the vendor's key set." })
  @Constraint({ maxLength: 2048, format: "iri" })
  jwksUrl?: string | null;
}
