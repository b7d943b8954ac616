/** The algorithms of an HMAC over the content that a vendor signs. */
export const hmacAlgorithms = ["sha1", "sha256", "sha512"] as const;

/** The asymmetric algorithms of a JWS (RFC 7518, RFC 8037). `none` and the HS algorithms are never accepted. */
export const jwsAlgorithms = ["EdDSA", "ES256", "PS256", "RS256"] as const;

export type JwsAlgorithm = (typeof jwsAlgorithms)[number];

/** How a vendor signs its deliveries, as data. Header names are in lower case. */
export type SignatureScheme = HmacScheme | TokenScheme | StandardWebhooksScheme | EcdsaScheme | JwsScheme;

/** A scheme whose key is a secret, or a public key, that a tenant stores. */
export type KeyedScheme = Exclude<SignatureScheme, JwsScheme>;

/** An HMAC whose key is the UTF-8 text of the secret. */
export interface HmacScheme {
  readonly kind: "hmac";
  readonly algorithm: (typeof hmacAlgorithms)[number];
  readonly header: string;
  readonly encoding: "hex" | "base64";
  /** The text before the encoded signature, for example `sha256=`. */
  readonly prefix?: string;
  /** The header with the time in seconds since 1970. */
  readonly timestampHeader?: string;
  /** The header is a list like `t=1700000000,v1=…,v1=…`: the names of its members. */
  readonly fields?: { readonly timestamp: string; readonly signature: string };
  /**
   * The content that is signed, with the placeholders `{body}`, `{timestamp}`, `{url}` and `{form}`: the parameters of a
   * form, sorted, each as name and value. For any other body `{form}` is empty.
   */
  readonly signedContent: string;
  /** The query parameter of the URL that holds the SHA-256 of the body in hexadecimal digits. */
  readonly bodyHashParameter?: string;
}

/** The header is the secret itself. It does not protect the body, so only TLS does. */
export interface TokenScheme {
  readonly kind: "token";
  readonly header: string;
}

/** The Standard Webhooks specification with symmetric keys (`whsec_…`). */
export interface StandardWebhooksScheme {
  readonly kind: "standard-webhooks";
}

/** ECDSA over P-256 and SHA-256 with a DER signature in base64. The key is a public key: PEM, or SPKI in base64. */
export interface EcdsaScheme {
  readonly kind: "ecdsa";
  readonly header: string;
  readonly timestampHeader: string;
  /** As in `HmacScheme`. */
  readonly signedContent: string;
}

/** A JWS with detached content (RFC 7515 appendix F, RFC 7797), made with a key of the vendor's key set. */
export interface JwsScheme {
  readonly kind: "jws";
  readonly header: string;
  readonly algorithms: readonly JwsAlgorithm[];
  readonly jwksUrl: string;
}

/** The names of all schemes. */
export const signatureKinds = [
  "hmac",
  "token",
  "standard-webhooks",
  "ecdsa",
  "jws",
] as const satisfies readonly SignatureScheme["kind"][];
