import type { FoundNode, NodeTypes } from "@factory/runtime/graphql/node-types";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";

/** An object as the graph resolves it here: whole if this subgraph owns its type, otherwise its key alone. */
interface ResolvedNode {
  readonly __typename: string;
}

/** Finds objects over all subgraphs. */
export class NodeService {
  readonly #ownTypes: NodeTypes;
  readonly #otherTypes: () => Promise<readonly NodeTypes[]>;

  constructor(ownTypes: NodeTypes, otherTypes: () => Promise<readonly NodeTypes[]>) {
    this.#ownTypes = ownTypes;
    this.#otherTypes = otherTypes;
  }

  /** Null for an unknown id, for an object of another tenant, and for one that the caller may not read. */
  async find(id: string, context: RequestContext): Promise<ResolvedNode | null> {
    const ownNode = await this.#ownTypes.find(id, context);
    if (ownNode) return { ...ownNode.object, __typename: ownNode.type };
    for (const types of await this.#otherTypes()) {
      const node = await types.find(id, context);
      if (node) return keyOf(node, id);
    }
    return null;
  }
}

const keyOf = ({ type, field }: FoundNode, id: string): ResolvedNode => ({ __typename: type, ...{ id, [field]: id } });
