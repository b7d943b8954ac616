import { createHmac, timingSafeEqual } from "node:crypto";
import { parseSigningSecret } from "./signing-secret.js";

export interface WebhookToSign {
  /** `webhook-id` */
  id: string;
  /** `webhook-timestamp`: epoch seconds of this attempt. */
  timestamp: number;
  /** The bytes that travel, not a value that is serialized again. */
  body: string | Uint8Array;
  /** `whsec_…`, newest first. */
  secrets: readonly string[];
}

export type WebhookVerification =
  | { verified: true; id: string; timestamp: number /** Which of the secrets it was. */; secretIndex: number }
  | { verified: false; code: "SIGNATURE_MISSING" | "SIGNATURE_EXPIRED" | "SIGNATURE_INVALID" };

export interface VerificationOptions {
  /** How far `webhook-timestamp` may lie from now, either way. */
  toleranceSeconds?: number;
  now?: Date;
}

export type WebhookHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

// id, timestamp and body are joined by dots: with a dot in the id two messages could share a signature
const idForm = /^[\x21-\x2d\x2f-\x7e]{1,255}$/;
const timestampForm = /^(0|[1-9]\d{0,11})$/;
const signatureForm = /^v1,([A-Za-z0-9+/]{43}=)$/;
const mostSignatures = 32;
const usualToleranceSeconds = 300;

/** The value of `webhook-signature`: one `v1` signature per secret, in their order (Standard Webhooks). */
export function signWebhook({ id, timestamp, body, secrets }: WebhookToSign): string {
  if (!idForm.test(id)) throw new TypeError("a webhook id is 1 to 255 printable characters without dots");
  if (!timestampForm.test(String(timestamp))) throw new TypeError("a webhook timestamp is whole epoch seconds");
  if (secrets.length === 0) throw new TypeError("a webhook is signed with at least one secret");
  const signatures = secrets.map((secret) => digest(keyOf(secret), id, String(timestamp), body).toString("base64"));
  return signatures.map((signature) => `v1,${signature}`).join(" ");
}

/** Checks the three headers of a received webhook (lower-case names, as Node gives them) against the raw body. */
export function verifyWebhook(
  headers: WebhookHeaders,
  rawBody: string | Uint8Array,
  secrets: readonly string[],
  { toleranceSeconds = usualToleranceSeconds, now = new Date() }: VerificationOptions = {},
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
  // only the holder of a secret learns that a message is too old
  const ageSeconds = now.getTime() / 1_000 - Number(timestamp);
  if (Math.abs(ageSeconds) > toleranceSeconds) return { verified: false, code: "SIGNATURE_EXPIRED" };
  return { verified: true, id, timestamp: Number(timestamp), secretIndex };
}

/** Signatures of other versions, e.g. `v1a`, are no error: senders announce several side by side. */
function readSignatures(header: string): Buffer[] {
  const signatures: Buffer[] = [];
  for (const part of header.split(" ", mostSignatures)) {
    const encoded = signatureForm.exec(part)?.[1] ?? "";
    const signature = Buffer.from(encoded, "base64");
    if (encoded !== "" && signature.toString("base64") === encoded) signatures.push(signature);
  }
  return signatures;
}

function keyOf(secret: string): Buffer {
  const key = parseSigningSecret(secret);
  if (key === undefined) throw new TypeError("a signing secret is whsec_ and the base64 of 24 to 64 bytes");
  return key;
}

function digest(key: Buffer, id: string, timestamp: string, body: string | Uint8Array): Buffer {
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
}
