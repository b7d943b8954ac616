import { type ValueOf, vocabulary } from "./vocabulary.js";

export const callHmacAlgorithms = vocabulary(
  "CallHmacAlgorithm",
  "The HMAC algorithms that sign the calls of a provider.",
  {
    sha256: "HMAC with SHA-256.",
    sha512: "HMAC with SHA-512.",
  },
);
export type CallHmacAlgorithm = ValueOf<typeof callHmacAlgorithms>;

export const hmacAlgorithms = vocabulary(
  "HmacAlgorithm",
  "The HMAC algorithms that verify the deliveries of a vendor.",
  {
    sha1: "HMAC with SHA-1, for vendors that have no other.",
    sha256: "HMAC with SHA-256.",
    sha512: "HMAC with SHA-512.",
  },
);
export type HmacAlgorithm = ValueOf<typeof hmacAlgorithms>;

/** RFC 7518 and RFC 8037. `none` and the HS algorithms are never accepted. */
export const jwsAlgorithms = vocabulary(
  "JwsAlgorithm",
  "The algorithms of a JWS that verify the deliveries of a vendor.",
  {
    EdDSA: "Ed25519 (RFC 8037).",
    ES256: "ECDSA over P-256 with SHA-256 (RFC 7518).",
    PS256: "RSASSA-PSS with SHA-256 (RFC 7518).",
    RS256: "RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518).",
  },
);
export type JwsAlgorithm = ValueOf<typeof jwsAlgorithms>;

export const signatureEncodings = vocabulary("SignatureEncoding", "The encodings of a signature.", {
  hex: "Hexadecimal digits.",
  base64: "Base64 (RFC 4648).",
});
export type SignatureEncoding = ValueOf<typeof signatureEncodings>;

export const keyEncodings = vocabulary(
  "KeyEncoding",
  "The ways in which the text of a secret holds the bytes of a key.",
  {
    text: "The text itself as UTF-8.",
    base64: "Base64 (RFC 4648).",
    hex: "Hexadecimal digits.",
  },
);
export type KeyEncoding = ValueOf<typeof keyEncodings>;

export const timeFormats = vocabulary("TimeFormat", "The forms of a signed time.", {
  seconds: "Seconds since 1970.",
  milliseconds: "Milliseconds since 1970.",
  iso8601: "An ISO 8601 time with its zone.",
});
export type TimeFormat = ValueOf<typeof timeFormats>;

export const signatureSeparators = vocabulary("SignatureSeparator", "The characters between several signatures.", {
  comma: "A comma.",
  space: "A space.",
});
export type SignatureSeparator = ValueOf<typeof signatureSeparators>;

/** Not an enum, since `standard-webhooks` is not a GraphQL name. */
export const signatureKinds = ["hmac", "token", "standard-webhooks", "ecdsa", "ed25519", "jws"] as const;
export type SignatureKind = (typeof signatureKinds)[number];
