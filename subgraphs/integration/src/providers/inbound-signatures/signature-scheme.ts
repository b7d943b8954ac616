import type {
  HmacAlgorithm,
  JwsAlgorithm,
  KeyEncoding,
  SignatureEncoding,
  SignatureSeparator,
  TimeFormat,
} from "@factory/schema/vocabularies/signatures";
/** The characters between several signatures in one header. */
export const separators = { comma: ",", space: " " } as const satisfies Record<SignatureSeparator, string>;

/** How a vendor signs its deliveries, as data. Header names are in lower case. */
export type SignatureScheme =
  | HmacScheme
  | TokenScheme
  | StandardWebhooksScheme
  | EcdsaScheme
  | Ed25519Scheme
  | JwsScheme;

/** A scheme whose key is a secret, or a public key, that a tenant stores. */
export type KeyedScheme = Exclude<SignatureScheme, JwsScheme>;

/** The content that a vendor signs. */
export interface SignedContent {
  /**
   * The content with the placeholders `{body}`, `{timestamp}`, `{id}`, `{url}` and `{form}`: a form's parameters,
   * sorted, each as name and value. For any other body `{form}` is empty.
   */
  readonly signedContent: string;
  /** The header with the vendor's id for the delivery, which stands for `{id}`. */
  readonly idHeader?: string;
  /** The header with the time, which stands for `{timestamp}`. */
  readonly timestampHeader?: string;
  /** The default is seconds. */
  readonly timestampFormat?: TimeFormat;
}

export interface HmacScheme extends SignedContent {
  readonly kind: "hmac";
  readonly algorithm: HmacAlgorithm;
  readonly header: string;
  readonly encoding: SignatureEncoding;
  /** The default is the secret itself as UTF-8 text. */
  readonly keyEncoding?: KeyEncoding;
  /** The text before the encoded signature, for example `sha256=`. */
  readonly prefix?: string;
  /** The character between several signatures. Those without the prefix belong to other versions. */
  readonly separator?: SignatureSeparator;
  /** The header is a list like `t=1700000000,v1=…,v1=…`: its members' names. */
  readonly fields?: { readonly timestamp?: string; readonly signature: string };
  /** The URL's query parameter that holds the body's SHA-256 in hexadecimal digits. */
  readonly bodyHashParameter?: string;
}

/** The secret itself is sent. It does not protect the body, so only TLS does. */
interface TokenScheme {
  readonly kind: "token";
  /** The header that is the secret. */
  readonly header?: string;
  /** Where the secret stands in the body, or in each event: `body:<JSON pointer>`. */
  readonly value?: string;
}

/** The Standard Webhooks specification, with symmetric keys (`whsec_…`, `v1`) and with public keys (`whpk_…`, `v1a`). */
export interface StandardWebhooksScheme {
  readonly kind: "standard-webhooks";
  /** The headers where a vendor has its own names. The defaults are the specification's. */
  readonly idHeader?: string;
  readonly timestampHeader?: string;
  readonly header?: string;
}

/** ECDSA over P-256 and SHA-256 with a DER signature in base64. The key is a public key: PEM, or SPKI in base64. */
export interface EcdsaScheme extends SignedContent {
  readonly kind: "ecdsa";
  readonly header: string;
  readonly timestampHeader: string;
}

/** Ed25519 (RFC 8032). The key is a public key: `whpk_…`, 32 bytes in hex or base64, PEM, or SPKI in base64. */
export interface Ed25519Scheme extends SignedContent {
  readonly kind: "ed25519";
  readonly header: string;
  readonly encoding: SignatureEncoding;
}

/** A JWS with detached content (RFC 7515 appendix F, RFC 7797), made with a key from the vendor's key set. */
export interface JwsScheme {
  readonly kind: "jws";
  readonly header: string;
  readonly algorithms: readonly JwsAlgorithm[];
  readonly jwksUrl: string;
}

/** The three headers for a scheme with the kind standard-webhooks. */
export const standardHeaders = ({ idHeader, timestampHeader, header }: StandardWebhooksScheme) => ({
  id: idHeader ?? "webhook-id",
  timestamp: timestampHeader ?? "webhook-timestamp",
  signature: header ?? "webhook-signature",
});

/** The header in which a scheme has its signature; undefined where the body has it. */
export const signatureHeader = (scheme: SignatureScheme): string | undefined =>
  scheme.kind === "standard-webhooks" ? standardHeaders(scheme).signature : scheme.header;

/** Whether the scheme's keys are public, so that they prove the vendor only. */
export const hasPublicKeys = ({ kind }: SignatureScheme): boolean => kind === "ecdsa" || kind === "ed25519";

/** Whether a public key may verify one of the scheme's signatures. */
export const takesPublicKeys = (scheme: SignatureScheme): boolean =>
  hasPublicKeys(scheme) || scheme.kind === "standard-webhooks";
