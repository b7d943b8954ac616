import { hash, randomInt } from "node:crypto";

/** Without letters and digits that look alike. */
const alphabet = "23456789abcdefghjkmnpqrstuvwxyz";
const codeCharacters = 16;
const codesOfSet = 10;

/** Ten codes of 16 characters in groups of four, 79 random bits each. */
export function newRecoveryCodes(): string[] {
  const character = () => alphabet[randomInt(alphabet.length)] ?? "";
  const code = () => Array.from({ length: codeCharacters }, character).join("");
  return Array.from({ length: codesOfSet }, () => code().replaceAll(/(.{4})(?=.)/g, "$1-"));
}

/**
 * The digest that is stored in place of a code; undefined for a text that is not a code. A hash without salt and cost is
 * enough for so many random bits. Case, spaces and hyphens do not matter.
 */
export function recoveryCodeDigest(userId: string, text: string): string | undefined {
  const code = text.toLowerCase().replaceAll(/[\s-]/g, "");
  if (code.length !== codeCharacters) return undefined;
  return hash("sha256", `${userId} ${code}`, "hex");
}
