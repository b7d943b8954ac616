import { NodeTypes } from "@factory/runtime/graphql/node-types";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { foreignNodes } from "./foreign-nodes.js";
import { NodeResolver } from "./node.resolver.js";
import { NodeService } from "./node.service.js";

export interface NodeSettings {
  /** The entities of the other subgraphs. Absent: this subgraph is alone. */
  readonly otherNodes?: () => Promise<readonly NodeTypes[]>;
}

/** The queries `node` and `nodes`. */
export const nodes: SliceModule<NodeSettings> = {
  slice: "nodes",
  types: foreignNodes,
  start({ settings }, services) {
    services.add(new NodeService(services.get(NodeTypes), settings.otherNodes ?? (async () => [])));
  },
  resolvers: (get) => [new NodeResolver(get(NodeService))],
};
