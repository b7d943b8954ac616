import { enumType } from "@factory/runtime/graphql/enum-type";
import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import {
  type ApiKeyPlace,
  apiKeyPlaces,
  type CallMethod,
  type ClientAuthentication,
  clientAuthentications,
  type MailSecurity,
  mailSecurities,
  probeMethods,
} from "@factory/schema/vocabularies/providers";
import {
  type CallHmacAlgorithm,
  callHmacAlgorithms,
  type SignatureEncoding,
  signatureEncodings,
} from "@factory/schema/vocabularies/signatures";
import { Field, InputType, Int } from "type-graphql";
import { SignatureSchemeInput } from "./signature-scheme.input.js";
import {
  bodyPath,
  headerPattern,
  joinedPattern,
  pathMeaning,
  pathPattern,
  printable,
  VendorReportInput,
  WebhookActionMarkInput,
  WebhookChallengeInput,
  WebhookSignedTimeInput,
  WebhookUrlTestInput,
} from "./webhook-values.input.js";

@InputType({ description: "A value that the answer to a probe must contain." })
class ProbeExpectationInput {
  @Field({ description: pathMeaning })
  @Constraint({ maxLength: 1200, pattern: pathPattern })
  value: string;

  @Field()
  @Constraint({ minLength: 1, maxLength: 200 })
  equals: string;
}

@InputType({ description: "The request that shows whether a credential works." })
class ProviderProbeInput {
  @Field(() => enumType(probeMethods))
  method: CallMethod;

  @Field({ description: "The path below baseUrl, with a leading slash and without a fragment." })
  @Constraint({ maxLength: 1024, pattern: "^/(?!/)[!$-\\[\\]-~]*$" })
  path: string;

  @Field(() => [Int], { nullable: true, description: "The statuses of success. The default is 200 to 299." })
  @Constraint({ minItems: 1, maxItems: 20, minimum: 200, maximum: 499 })
  okStatuses?: number[] | null;

  @Field(() => ProbeExpectationInput, {
    nullable: true,
    description: "For vendors that answer a wrong credential with status 200 too.",
  })
  expect?: ProbeExpectationInput | null;
}

@InputType({
  description: "Where an API key stands in a request. The default is the header Authorization with Bearer.",
})
class ProviderApiKeyInput {
  @Field(() => enumType(apiKeyPlaces))
  in: ApiKeyPlace;

  @Field({ description: "The name of the header or of the query parameter." })
  @Constraint({ pattern: headerPattern })
  name: string;

  @Field(() => String, { nullable: true, description: "Printable ASCII characters before the key." })
  @Constraint({ maxLength: 100, pattern: printable })
  prefix?: string | null;
}

@InputType({ description: "How calls to the vendor are signed with an HMAC." })
class ProviderHmacInput {
  @Field(() => enumType(callHmacAlgorithms))
  algorithm: CallHmacAlgorithm;

  @Field({ description: "The name of the header with the signature." })
  @Constraint({ pattern: headerPattern })
  header: string;

  @Field(() => enumType(signatureEncodings))
  encoding: SignatureEncoding;

  @Field(() => String, { nullable: true, description: "Printable ASCII characters before the signature." })
  @Constraint({ maxLength: 100, pattern: printable })
  prefix?: string | null;

  @Field(() => String, { nullable: true, description: "The name of the header with the time in seconds since 1970." })
  @Constraint({ pattern: headerPattern })
  timestampHeader?: string | null;
}

@InputType({ description: "The endpoints of the vendor's authorization server." })
class ProviderOAuth2Input {
  @Field()
  @Constraint({ maxLength: 2048, format: "iri" })
  tokenUrl: string;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 2048, format: "iri" })
  authorizationUrl?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 2048, format: "iri" })
  revocationUrl?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The iss of its authorization answers (RFC 9207). If it is given, an answer without it is refused.",
  })
  @Constraint({ maxLength: 2048, format: "iri" })
  issuer?: string | null;

  @Field(() => enumType(clientAuthentications))
  clientAuthentication: ClientAuthentication;

  @Field(() => [String], { nullable: true, description: "The scopes that are asked for." })
  @Constraint({ maxItems: 50, minLength: 1, maxLength: 200, pattern: "^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$" })
  scopes?: string[] | null;

  @Field(() => String, { nullable: true, description: "One character between two scopes. The default is a space." })
  @Constraint({ pattern: "^[,+;|]$" })
  scopeSeparator?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 2048, pattern: printable })
  audience?: string | null;

  @Field(() => JsonObject, { nullable: true, description: "Up to 20 further parameters of token requests, as texts." })
  tokenParameters?: Record<string, unknown> | null;

  @Field(() => JsonObject, {
    nullable: true,
    description: "Up to 20 further parameters of the authorization request, as texts.",
  })
  authorizationParameters?: Record<string, unknown> | null;
}

@InputType({ description: "The limit of the vendor for the calls of one connection." })
class ProviderRateLimitInput {
  @Field(() => Int, {
    description:
      "The most calls in any period with the length perSeconds. A quarter of them may come at once, the others come evenly.",
  })
  @Constraint({ minimum: 1, maximum: 1_000_000 })
  requests: number;

  @Field(() => Int, { description: "The length of the period in seconds, at most a day." })
  @Constraint({ minimum: 1, maximum: 86_400 })
  perSeconds: number;
}

@InputType({ description: "How deliveries of the vendor are signed, and where their values stand." })
class WebhookDescriptionInput {
  @Field(() => SignatureSchemeInput)
  scheme: SignatureSchemeInput;

  @Field(() => [String], {
    description: `The first path with a value gives the delivery id. ${pathMeaning} Up to four paths with " & " between them are joined.`,
  })
  @Constraint({ minItems: 1, maxItems: 5, maxLength: 1200, pattern: joinedPattern })
  deliveryId: string[];

  @Field(() => [String], { description: `The first path with a value gives the event name. ${pathMeaning}` })
  @Constraint({ minItems: 1, maxItems: 5, maxLength: 1200, pattern: pathPattern })
  eventName: string[];

  @Field(() => String, { nullable: true, description: `A value that is added to the event name. ${pathMeaning}` })
  @Constraint({ maxLength: 1200, pattern: pathPattern })
  action?: string | null;

  @Field(() => WebhookActionMarkInput, { nullable: true })
  actionMark?: WebhookActionMarkInput | null;

  @Field(() => String, { nullable: true, description: `The id of the account at the vendor. ${pathMeaning}` })
  @Constraint({ maxLength: 1200, pattern: pathPattern })
  account?: string | null;

  @Field(() => WebhookChallengeInput, { nullable: true })
  challenge?: WebhookChallengeInput | null;

  @Field(() => [WebhookUrlTestInput], {
    nullable: true,
    description: "How the vendor tests the deliveryUrl of a subscription or a connection, without a signature.",
  })
  @Constraint({ minItems: 1, maxItems: 5 })
  urlTests?: WebhookUrlTestInput[] | null;

  @Field(() => WebhookSignedTimeInput, {
    nullable: true,
    description: "For vendors whose signature covers a time in the body only.",
  })
  signedTime?: WebhookSignedTimeInput | null;

  @Field(() => [String], { nullable: true, description: "The events that tell that a credential was revoked." })
  @Constraint({ maxItems: 20, minLength: 1, maxLength: 200 })
  revokedEvents?: string[] | null;

  @Field(() => [VendorReportInput], { nullable: true, description: "At most 20 events that tell how commands ended." })
  @Constraint({ maxItems: 20 })
  reports?: VendorReportInput[] | null;

  @Field(() => String, {
    nullable: true,
    description: "The field of a form that holds the body as JSON, in deliveries that are sent as a form.",
  })
  @Constraint({ pattern: "^[\\x21-\\x7e]{1,100}$" })
  formPayload?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether the body is an array of events. The default is false.",
  })
  batch?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The place of an array of events in the body: body:<JSON pointer>. Other paths in the body are relative to one event.",
  })
  @Constraint({ maxLength: 1200, pattern: bodyPath })
  events?: string | null;
}

@InputType({ description: "A mail server, by which SendEmail is carried out." })
class ProviderMailServerInput {
  @Field({ description: "A host name or an IP address without brackets." })
  @Constraint({ minLength: 1, maxLength: 253 })
  host: string;

  @Field(() => Int, { description: "In production one of 25, 465, 587 and 2525." })
  @Constraint({ minimum: 1, maximum: 65_535 })
  port: number;

  @Field(() => enumType(mailSecurities))
  security: MailSecurity;
}

@InputType({ description: "How the vendor is called and how its deliveries are read, in at most 16 KiB." })
export class ProviderDriverInput {
  @Field(() => ProviderProbeInput, { nullable: true })
  probe?: ProviderProbeInput | null;

  @Field(() => ProviderApiKeyInput, { nullable: true })
  apiKey?: ProviderApiKeyInput | null;

  @Field(() => ProviderHmacInput, { nullable: true })
  hmac?: ProviderHmacInput | null;

  @Field(() => ProviderOAuth2Input, { nullable: true })
  oauth2?: ProviderOAuth2Input | null;

  @Field(() => JsonObject, { nullable: true, description: "Up to 20 headers of every call, as texts. No secrets." })
  headers?: Record<string, unknown> | null;

  @Field(() => ProviderRateLimitInput, { nullable: true })
  rateLimit?: ProviderRateLimitInput | null;

  @Field(() => String, { nullable: true, description: "The header in which the vendor takes an idempotency key." })
  @Constraint({ pattern: headerPattern })
  idempotencyHeader?: string | null;

  @Field(() => WebhookDescriptionInput, { nullable: true })
  webhook?: WebhookDescriptionInput | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "For each command, for example SendEmail, the request of the vendor: method, path, encoding (json or form), body, vendorId, repeatable, url for OpenTicket and CreateCheckoutSession, and state for ChargePayment and RefundPayment: the path that is asked for the outcome, the value in its answer, and the outcomes by their states. A success that stands in the answer to the command already ends it; otherwise the path is asked after 30 s, 5 min, 1 h and 24 h. Objects with $value, $each and $as, $item, $when and $then stand for values of the command.",
  })
  commands?: Record<string, unknown> | null;

  @Field(() => ProviderMailServerInput, { nullable: true })
  smtp?: ProviderMailServerInput | null;
}
