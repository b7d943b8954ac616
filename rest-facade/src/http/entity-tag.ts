import { hash } from "node:crypto";

/** A weak entity tag: the same resource in another media type has the same tag. */
export const entityTag = (body: string) => `W/"${hash("sha1", body, "base64url")}"`;

/** If-None-Match compares weakly (RFC 9110 section 13.1.2). */
export function matchesEntityTag(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === "*") return true;
  const opaque = opaqueTag(tag);
  return ifNoneMatch.split(",").some((candidate) => opaqueTag(candidate.trim()) === opaque);
}

const opaqueTag = (tag: string) => (tag.startsWith("W/") ? tag.slice(2) : tag);
