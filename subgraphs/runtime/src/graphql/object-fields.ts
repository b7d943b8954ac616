import type { KeyIdPrefix } from "@factory/schema/id-prefixes";
import { Ctx, FieldResolver, ID, Resolver, Root } from "type-graphql";
import { keyId } from "../identifiers/key-id.js";
import type { RequestContext } from "../tenancy/request-context.js";
import { tenantOf } from "../tenancy/tenant.js";

type TypeClass<T extends object> = new () => T;

/** Resolves `id` for a type that a tenant knows by `key`. */
export function keyIdResolver(type: TypeClass<{ key: string }>, prefix: KeyIdPrefix): object {
  @Resolver(() => type)
  class KeyIdResolver {
    @FieldResolver(() => ID, { description: "An opaque id, by which `node` and clients' caches know the object." })
    id(@Root() { key }: { key: string }, @Ctx() context: RequestContext): string {
      return keyId(prefix, tenantOf(context).tenantId, key);
    }
  }
  return new KeyIdResolver();
}

/**
 * Lets an answer with the members of an object also hold the object under its own type: clients' caches know an object by
 * its type and its id.
 */
export function heldObjectResolver<T extends object>(
  answer: TypeClass<T>,
  object: TypeClass<object>,
  field: { name: string; description: string },
): object {
  @Resolver(() => answer)
  class HeldObjectResolver {
    @FieldResolver(() => object, field)
    object(@Root() members: T): T {
      return members;
    }
  }
  return new HeldObjectResolver();
}
