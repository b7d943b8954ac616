import { hash } from "node:crypto";

/**
 * The row of an invitation holds the digest of the token in its link, which is derived (`DerivedSecrets`), so that the
 * job that sends it holds no token. Plain SHA-256 is enough for 256 random bits.
 */
export const tokenDigest = (token: string): string => hash("sha256", token, "hex");
