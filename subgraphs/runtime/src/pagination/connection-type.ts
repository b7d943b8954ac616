import { type ClassType, Directive, Field, ObjectType } from "type-graphql";
import type { Connection } from "./page.js";
import { PageInfo } from "./page-info.type.js";

/**
 * Makes the GraphQL types `<name>Edge` and `<name>Connection`, with `items` and `nextCursor` beside Relay's members.
 * `shareable`: several subgraphs have the type.
 */
export function connectionType<Node extends object>(
  name: string,
  node: () => ClassType<Node>,
  description: string,
  { shareable = false } = {},
): ClassType<Connection<Node>> {
  @ObjectType(`${name}Edge`, { simpleResolvers: true })
  class Edge {
    @Field()
    cursor: string;

    @Field(node)
    node: Node;
  }

  @ObjectType(`${name}Connection`, { simpleResolvers: true, description })
  class NodeConnection implements Connection<Node> {
    @Field(() => [Edge])
    edges: Edge[];

    @Field(() => PageInfo)
    pageInfo: PageInfo;

    @Field(() => [node()])
    items: Node[];

    @Field(() => String, { nullable: true, description: "Null on the last page." })
    nextCursor: string | null;
  }
  if (shareable) for (const type of [Edge, NodeConnection]) Directive("@shareable")(type);
  return NodeConnection;
}
