import { createHmac, timingSafeEqual } from "node:crypto";
import { parseSigningSecret } from "./signing-secret.js";

export interface WebhookToSign {
  /** The header `webhook-id`. */
  id: string;
  /** The header `webhook-timestamp`: the time of this attempt in seconds since 1970. */
  timestamp: number;
  /** The bytes that are sent. A value that is serialized again may have other bytes. */
  body: string | Uint8Array;
  /** Secrets of the form `whsec_…`, newest first. */
  secrets: readonly string[];
}

export type WebhookVerification =
  | { verified: true; id: string; timestamp: number /** Which of the secrets it was. */; secretIndex: number }
  | { verified: false; code: "SIGNATURE_MISSING" | "SIGNATURE_EXPIRED" | "SIGNATURE_INVALID" };

export interface VerificationOptions {
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
const signatureForm = /^v1,([A-Za-z0-9+/]{43}=)$/;
const maxSignatures = 32;
const defaultToleranceSeconds = 300;

/**
 * Signs a webhook: the value of the header `webhook-signature`, with one `v1` signature for each secret, in the order
 * of the secrets (Standard Webhooks).
 */
export function signWebhook({ id, timestamp, body, secrets }: WebhookToSign): string {
  if (!idForm.test(id)) throw new TypeError("A webhook id must have 1 to 255 printable characters and no dot.");
  if (!timestampForm.test(String(timestamp)))
    throw new TypeError("A webhook timestamp must be a whole number of seconds since 1970.");
  if (secrets.length === 0) throw new TypeError("A webhook must be signed with at least one secret.");
  const signatures = secrets.map((secret) => digest(keyOf(secret), id, String(timestamp), body).toString("base64"));
  return signatures.map((signature) => `v1,${signature}`).join(" ");
}

/** Verifies a received webhook by its three headers (with lower-case names, as in Node) and its raw body. */
export function verifyWebhook(
  headers: WebhookHeaders,
  rawBody: string | Uint8Array,
  secrets: readonly string[],
  { toleranceSeconds = defaultToleranceSeconds, now = new Date() }: VerificationOptions = {},
): WebhookVerification {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  const given = headers["webhook-signature"];
  if (id === undefined || timestamp === undefined || given === undefined)
    return { verified: false, code: "SIGNATURE_MISSING" };
  const invalid = { verified: false, code: "SIGNATURE_INVALID" } as const;
  if (typeof id !== "string" || typeof timestamp !== "string" || typeof given !== "string") return invalid;
  if (!idForm.test(id) || !timestampForm.test(timestamp)) return invalid;

  const candidates = readSignatures(given);
  const matches = secrets.map((secret) => {
    const expected = digest(keyOf(secret), id, timestamp, rawBody);
    return candidates.some((candidate) => timingSafeEqual(candidate, expected));
  });
  const secretIndex = matches.indexOf(true);
  if (secretIndex === -1) return invalid;
  // The age is checked last, so that only a caller with the secret learns that a message is too old.
  const ageSeconds = now.getTime() / 1_000 - Number(timestamp);
  if (Math.abs(ageSeconds) > toleranceSeconds) return { verified: false, code: "SIGNATURE_EXPIRED" };
  return { verified: true, id, timestamp: Number(timestamp), secretIndex };
}

/**
 * The `v1` signatures of the header `webhook-signature`. Those of other versions, for example `v1a`, are ignored,
 * because a sender may send several versions together.
 */
export function readSignatures(header: string): Buffer[] {
  const signatures: Buffer[] = [];
  for (const part of header.split(" ", maxSignatures)) {
    const encoded = signatureForm.exec(part)?.[1] ?? "";
    const signature = Buffer.from(encoded, "base64");
    if (encoded !== "" && signature.toString("base64") === encoded) signatures.push(signature);
  }
  return signatures;
}

function keyOf(secret: string): Buffer {
  const key = parseSigningSecret(secret);
  if (key === undefined) throw new TypeError('A signing secret must be "whsec_" followed by 24 to 64 bytes in base64.');
  return key;
}

function digest(key: Buffer, id: string, timestamp: string, body: string | Uint8Array): Buffer {
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
}
