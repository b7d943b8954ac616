import { Field, ID, ObjectType } from "type-graphql";
import { NodeKey, NodeType } from "./node.type.js";

/** An object type whose fields another subgraph owns: here it has its key alone. */
export function foreignEntity(name: string, key: string): new () => object {
  @ObjectType(name, { implements: NodeType, simpleResolvers: true })
  @NodeKey(key, { resolvable: false })
  class ForeignEntity {}
  Field(() => ID)(ForeignEntity.prototype, key);
  return ForeignEntity;
}
