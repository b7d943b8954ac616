import { Auth } from "@factory/runtime/graphql/auth";
import { NodeType } from "@factory/runtime/graphql/node.type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Query, Resolver } from "type-graphql";
import type { NodeService } from "./node.service.js";

const maxNodes = 100;
/** A node is read by itself, so many of them cost more than one request (decision "Limits count work"). */
const nodesPerPoint = 10;

@Resolver()
export class NodeResolver {
  readonly #nodes: NodeService;

  constructor(nodes: NodeService) {
    this.#nodes = nodes;
  }

  @Query(() => NodeType, {
    description:
      "The object with this id, of any type and in any subgraph. Null for an unknown id, for an object of another tenant and for one that the caller may not read.",
  })
  @Auth({})
  node(@Arg("id", () => ID) id: string, @Ctx() context: RequestContext): Promise<object | null> {
    return this.#nodes.find(id, context);
  }

  @Query(() => [NodeType], {
    nullable: "items",
    description: `The objects with these ids, in the order of the ids, with null in the place of an object that \`node\` would not show. At most ${maxNodes}.`,
  })
  @Auth({})
  nodes(
    @Arg("ids", () => [ID]) @Constraint({ maxItems: maxNodes }) ids: string[],
    @Ctx() context: RequestContext,
  ): Promise<(object | null)[]> {
    context.points += Math.max(0, Math.ceil(ids.length / nodesPerPoint) - 1);
    return Promise.all(ids.map((id) => this.#nodes.find(id, context)));
  }
}
