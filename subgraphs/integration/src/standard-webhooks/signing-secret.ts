import { randomBytes } from "node:crypto";

const prefix = "whsec_";
// These are the limits of the Standard Webhooks specification for symmetric keys.
const minBytes = 24;
const maxBytes = 64;
const generatedBytes = 32;

/** Generates a symmetric signing secret in the form `whsec_<base64>`. */
export function generateSigningSecret(): string {
  return prefix + randomBytes(generatedBytes).toString("base64");
}

/** The bytes of the key in `whsec_<base64>`; undefined for any other text. */
export function parseSigningSecret(text: string): Buffer | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const encoded = text.slice(prefix.length);
  const key = Buffer.from(encoded, "base64");
  // Node ignores characters that are not base64, so the text is compared with the canonical form.
  if (key.toString("base64") !== encoded) return undefined;
  return key.length >= minBytes && key.length <= maxBytes ? key : undefined;
}
