import type { IdPrefix } from "@factory/schema/id-prefixes";
import type { RequestContext } from "../tenancy/request-context.js";
import type { AuthRule } from "./auth.js";

/** An entity's id: the prefix in front, and the field that holds it. */
interface EntityId {
  readonly prefix: IdPrefix;
  readonly field: string;
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
