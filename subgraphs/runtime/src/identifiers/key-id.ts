import type { KeyIdPrefix } from "@factory/schema/id-prefixes";
import { decodeId } from "./wire-id.js";

const uuidBytes = 16;
/** All keys have these characters only. */
const keyForm = /^[\w.:-]+$/;

/** An opaque id for what a tenant knows by its key: the prefix, then the tenant's UUID and the key in base64url. */
export function keyId(prefix: KeyIdPrefix, tenantId: string, key: string): string {
  const uuid = decodeId("ten", tenantId)?.replaceAll("-", "");
  if (uuid === undefined) throw new Error(`${tenantId} is not a tenant's id`);
  return `${prefix}_${Buffer.concat([Buffer.from(uuid, "hex"), Buffer.from(key)]).toString("base64url")}`;
}

/** The key in the id; undefined for another tenant's id and for one that is not well formed. */
export function keyIn(prefix: KeyIdPrefix, tenantId: string, id: string): string | undefined {
  const bytes = Buffer.from(id.slice(prefix.length + 1), "base64url");
  const key = bytes.subarray(uuidBytes).toString();
  // an id has one spelling
  return keyForm.test(key) && keyId(prefix, tenantId, key) === id ? key : undefined;
}

/** An opaque id for what belongs to the platform, and to no tenant. */
export const platformKeyId = (prefix: KeyIdPrefix, key: string): string =>
  `${prefix}_${Buffer.from(key).toString("base64url")}`;

/** As `keyIn`, for an object that belongs to no tenant. */
export function platformKeyIn(prefix: KeyIdPrefix, id: string): string | undefined {
  const key = Buffer.from(id.slice(prefix.length + 1), "base64url").toString();
  return keyForm.test(key) && platformKeyId(prefix, key) === id ? key : undefined;
}
