import { hash, timingSafeEqual } from "node:crypto";

/** The form in which a table keeps a random value, so that a reader of the table cannot use the value. */
export const digestOf = (value: string): string => hash("sha256", value, "base64url");

/** Whether the value has this digest, in constant time. */
export function hasDigest(value: string, digest: string | null): boolean {
  if (digest === null) return false;
  const [actual, expectedBytes] = [Buffer.from(digestOf(value)), Buffer.from(digest)];
  return actual.length === expectedBytes.length && timingSafeEqual(actual, expectedBytes);
}
