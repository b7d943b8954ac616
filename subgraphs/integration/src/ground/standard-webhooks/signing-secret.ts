import { randomBytes } from "node:crypto";
import type { SigningKeyType } from "@factory/schema/vocabularies/webhooks";
import { generateEd25519Secret, isEd25519Secret } from "./ed25519-key.js";

const prefix = "whsec_";
// The Standard Webhooks specification sets these limits for symmetric keys.
const minBytes = 24;
const maxBytes = 64;
const generatedBytes = 32;

/** Generates a symmetric signing secret in the form `whsec_<base64>`. */
export function generateSigningSecret(): string {
  return prefix + randomBytes(generatedBytes).toString("base64");
}

/** Generates a secret with this kind. */
export const generateSecretOfType = (type: SigningKeyType): string =>
  type === "ed25519" ? generateEd25519Secret() : generateSigningSecret();

/** The key's bytes in `whsec_<base64>`; undefined for any other text. */
export function parseSigningSecret(text: string): Buffer | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const base64 = text.slice(prefix.length);
  const key = Buffer.from(base64, "base64");
  // Node ignores characters that are not base64, so the text is compared with the canonical form.
  if (key.toString("base64") !== base64) return undefined;
  return key.length >= minBytes && key.length <= maxBytes ? key : undefined;
}

/** Whether webhooks can be signed with the text: a symmetric secret (`whsec_`) or an ed25519 private key (`whsk_`). */
export const canSign = (text: string): boolean => parseSigningSecret(text) !== undefined || isEd25519Secret(text);

/** The forms that `canSign` accepts, for error messages. */
export const signingSecretForm =
  '"whsec_" followed by 24 to 64 bytes in base64, or "whsk_" followed by an ed25519 private key of 32 or 64 bytes in base64';
