import { randomBytes } from "node:crypto";

const prefix = "whsec_";
// the bounds of the Standard Webhooks specification for symmetric keys
const shortestBytes = 24;
const longestBytes = 64;
const generatedBytes = 32;

/** A new symmetric signing secret in its printed form, `whsec_<base64>`. */
export function generateSigningSecret(): string {
  return prefix + randomBytes(generatedBytes).toString("base64");
}

/** The key inside `whsec_<base64>`, or undefined for any other text. */
export function parseSigningSecret(text: string): Buffer | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const encoded = text.slice(prefix.length);
  const key = Buffer.from(encoded, "base64");
  // Node skips what is not base64; only the one canonical spelling counts
  if (key.toString("base64") !== encoded) return undefined;
  return key.length >= shortestBytes && key.length <= longestBytes ? key : undefined;
}
