import { hash } from "node:crypto";

/**
 * SHA-256 as hex, which an invitation's row stores in place of the token. A hash without salt is enough for a token
 * with 256 random bits. `DerivedSecrets` derives the token again when the mail is sent.
 */
export const tokenDigest = (token: string): string => hash("sha256", token, "hex");
