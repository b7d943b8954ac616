import type { IdPrefix, KeyIdPrefix } from "@factory/schema/id-prefixes";
import { keyIn } from "../identifiers/key-id.js";
import { decodeId } from "../identifiers/wire-id.js";
import type { RequestContext } from "../tenancy/request-context.js";
import { tenantOf } from "../tenancy/tenant.js";
import type { AuthRule } from "./auth.js";

/** An entity's id: the prefix in front, and the field that holds it. */
interface EntityId {
  readonly prefix: IdPrefix | KeyIdPrefix;
  readonly field: string;
  /** For an entity that is known by a key: takes the key from its opaque id. Absent: the field holds the id itself. */
  readonly keyIn?: (id: string, context: RequestContext) => string | undefined;
}

/** The entities that a tenant knows by `key`, with opaque ids. */
export const tenantKey = (prefix: KeyIdPrefix): EntityId => ({
  ...{ prefix, field: "key" },
  keyIn: (id, context) => keyIn(prefix, tenantOf(context).tenantId, id),
});

/** The field's value for this id; undefined for another tenant's id and for one that is not well formed. */
export function valueFor({ prefix, keyIn: read }: EntityId, id: string, context: RequestContext): string | undefined {
  if (read) return read(id, context);
  return decodeId(prefix as IdPrefix, id) === undefined ? undefined : id;
}

/**
 * Resolves `_entities`: applies the tenant rule like any other read; nothing where it is unknown or belongs to another
 * tenant.
 */
export type ReferenceResolver = (
  reference: Record<string, string>,
  context: RequestContext,
) => Promise<object | null | undefined>;

/** A way to an entity from another one: it needs what reading the entity itself needs. */
export interface EntityReference {
  /** Absent: the entity is not found by `node`. */
  readonly id?: EntityId;
  readonly auth: AuthRule;
  readonly resolve: ReferenceResolver;
}
