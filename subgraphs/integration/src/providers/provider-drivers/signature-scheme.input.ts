import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import {
  type HmacAlgorithm,
  hmacAlgorithms,
  type JwsAlgorithm,
  jwsAlgorithms,
  type KeyEncoding,
  keyEncodings,
  type SignatureEncoding,
  type SignatureSeparator,
  signatureEncodings,
  signatureKinds,
  signatureSeparators,
  type TimeFormat,
  timeFormats,
} from "@factory/schema/vocabularies/signatures";
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
  @Field({ description: "A text, since standard-webhooks is not a GraphQL name." })
  @Constraint({ values: signatureKinds })
  kind: string;

  @Field(() => enumType(hmacAlgorithms), { nullable: true, description: "For hmac." })
  algorithm?: HmacAlgorithm | null;

  @Field(() => String, { nullable: true, description: "The name of the header with the signature or the token." })
  @Constraint({ pattern: headerPattern })
  header?: string | null;

  @Field(() => enumType(signatureEncodings), {
    nullable: true,
    description: "For hmac and ed25519: the encoding of the signature.",
  })
  encoding?: SignatureEncoding | null;

  @Field(() => enumType(keyEncodings), {
    nullable: true,
    description: "For hmac: the encoding of the key in the secret. The default is text.",
  })
  keyEncoding?: KeyEncoding | null;

  @Field(() => String, { nullable: true, description: "For hmac: printable ASCII characters before the signature." })
  @Constraint({ maxLength: 50, pattern: "^[\\x21-\\x7e]*$" })
  prefix?: string | null;

  @Field(() => enumType(signatureSeparators), {
    nullable: true,
    description: "For hmac: the character between several signatures.",
  })
  separator?: SignatureSeparator | null;

  @Field(() => String, {
    nullable: true,
    description: "The header with the vendor's id of the delivery, if it is signed.",
  })
  @Constraint({ pattern: headerPattern })
  idHeader?: string | null;

  @Field(() => String, { nullable: true, description: "The header with the time, if it is signed." })
  @Constraint({ pattern: headerPattern })
  timestampHeader?: string | null;

  @Field(() => enumType(timeFormats), { nullable: true, description: "The default is seconds." })
  timestampFormat?: TimeFormat | null;

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

  @Field(() => [enumType(jwsAlgorithms)], { nullable: true, description: "For jws: the accepted algorithms." })
  @Constraint({ minItems: 1, maxItems: 4 })
  algorithms?: JwsAlgorithm[] | null;

  @Field(() => String, { nullable: true, description: "For jws: the URL of the vendor's key set." })
  @Constraint({ maxLength: 2048, format: "iri" })
  jwksUrl?: string | null;
}
