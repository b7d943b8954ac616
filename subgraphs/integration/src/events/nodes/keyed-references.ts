import { NodeType } from "@factory/runtime/graphql/node.type";
import { Directive, ObjectType } from "type-graphql";

/** A type of another subgraph that has an opaque id, because callers know its objects by a key. */
function keyedReference(name: string): new () => object {
  @ObjectType(name, { implements: NodeType, simpleResolvers: true })
  @Directive('@key(fields: "id", resolvable: false)')
  class KeyedReference {}
  return KeyedReference;
}

export const keyedReferences = ["ConfigEntry", "Edition", "FeatureFlag", "NotificationTemplate"].map(keyedReference);
