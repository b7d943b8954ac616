import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { hasEd25519Form, signEd25519, verifyEd25519 } from "./ed25519-key.js";
import { parseSigningSecret, signingSecretForm } from "./signing-secret.js";

interface WebhookToSign {
  /** The header `webhook-id`. */
  id: string;
  /** The header `webhook-timestamp`: this attempt's time in seconds since 1970. */
  timestamp: number;
  /** The bytes that are sent. A value that is serialized again may have other bytes. */
  body: string | Uint8Array;
  /** Secrets in the form `whsec_…` or `whsk_…`, newest first. */
  secrets: readonly string[];
}

type WebhookVerification =
  | { verified: true; id: string; timestamp: number /** Which secret it was. */; secretIndex: number }
  | { verified: false; code: "SIGNATURE_MISSING" | "SIGNATURE_EXPIRED" | "SIGNATURE_INVALID" };

interface VerificationOptions {
  /** The maximum difference between `webhook-timestamp` and now, in both directions. The default is 300. */
  toleranceSeconds?: number;
  now?: Date;
}

export type WebhookHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

// The signature covers id, timestamp and body, joined by dots. With a dot in the id, two messages could have the same
// signature.
const idForm = /^[\x21-\x2d\x2f-\x7e]{1,255}$/;
/** Whether the text can be the header `webhook-id`. */
export const isWebhookId = (text: string): boolean => idForm.test(text);

const timestampForm = /^(0|[1-9]\d{0,11})$/;
const signatureForms = {
  v1: /^v1,([A-Za-z0-9+/]{43}=)$/,
  v1a: /^v1a,([A-Za-z0-9+/]{86}==)$/,
};
type SignatureVersion = keyof typeof signatureForms;
const maxSignatures = 32;
const defaultToleranceSeconds = 300;

/**
 * Signs a webhook: the value of the header `webhook-signature`, with one signature for each secret, in the secrets'
 * order (Standard Webhooks). A symmetric secret makes a `v1` signature (HMAC-SHA256), an ed25519 key a `v1a` one.
 */
export function signWebhook({ id, timestamp, body, secrets }: WebhookToSign): string {
  if (!idForm.test(id)) throw new TypeError("A webhook id must have 1 to 255 printable characters and no dot.");
  if (!timestampForm.test(String(timestamp)))
    throw new TypeError("A webhook timestamp must be a whole number of seconds since 1970.");
  if (secrets.length === 0) throw new TypeError("A webhook must be signed with at least one secret.");
  const content = signedContent(id, String(timestamp), body);
  return secrets
    .map((secret) => {
      if (!hasEd25519Form(secret)) return `v1,${digest(keyOf(secret), content).toString("base64")}`;
      const signature = signEd25519(secret, content);
      if (signature === undefined) throw unusable();
      return `v1a,${signature.toString("base64")}`;
    })
    .join(" ");
}

/**
 * Verifies a received webhook by its three headers (with lower-case names, as in Node) and its raw body. A key is a
 * symmetric secret (`whsec_`), an ed25519 public key (`whpk_`) or an ed25519 private key (`whsk_`).
 */
export function verifyWebhook(
  headers: WebhookHeaders,
  rawBody: string | Uint8Array,
  secrets: readonly string[],
  { toleranceSeconds = defaultToleranceSeconds, now = new Date() }: VerificationOptions = {},
): WebhookVerification {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  const signatures = headers["webhook-signature"];
  if (id === undefined || timestamp === undefined || signatures === undefined)
    return { verified: false, code: "SIGNATURE_MISSING" };
  const invalid = { verified: false, code: "SIGNATURE_INVALID" } as const;
  if (typeof id !== "string" || typeof timestamp !== "string" || typeof signatures !== "string") return invalid;
  if (!idForm.test(id) || !timestampForm.test(timestamp)) return invalid;

  const content = signedContent(id, timestamp, rawBody);
  const [symmetric, asymmetric] = [readSignatures(signatures, "v1"), readSignatures(signatures, "v1a")];
  const matches = secrets.map((secret) => {
    if (hasEd25519Form(secret)) return asymmetric.some((candidate) => verifyEd25519(secret, content, candidate));
    const expectedDigest = digest(keyOf(secret), content);
    return symmetric.some((candidate) => timingSafeEqual(candidate, expectedDigest));
  });
  const secretIndex = matches.indexOf(true);
  if (secretIndex === -1) return invalid;
  // The age is checked last, so that only a caller with the secret learns that a message is too old.
  const ageSeconds = now.getTime() / 1_000 - Number(timestamp);
  if (Math.abs(ageSeconds) > toleranceSeconds) return { verified: false, code: "SIGNATURE_EXPIRED" };
  return { verified: true, id, timestamp: Number(timestamp), secretIndex };
}

/**
 * The signatures with one version in the header `webhook-signature`. Other versions are ignored, because a sender may
 * send several versions together.
 */
export function readSignatures(header: string, version: SignatureVersion): Buffer[] {
  const signatures: Buffer[] = [];
  for (const part of header.split(" ", maxSignatures)) {
    const base64 = signatureForms[version].exec(part)?.[1] ?? "";
    const signature = Buffer.from(base64, "base64");
    if (base64 !== "" && signature.toString("base64") === base64) signatures.push(signature);
  }
  return signatures;
}

function keyOf(secret: string): Buffer {
  const key = parseSigningSecret(secret);
  if (key === undefined) throw unusable();
  return key;
}

const unusable = () => new TypeError(`A signing secret must be ${signingSecretForm}.`);

const signedContent = (id: string, timestamp: string, body: string | Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${id}.${timestamp}.`), typeof body === "string" ? Buffer.from(body) : body]);

/** Node 24 takes three times as long for a key that is a buffer, which it tries to read as a key object first. */
const digest = (key: Buffer, content: Buffer): Buffer =>
  createHmac("sha256", createSecretKey(key)).update(content).digest();
