import { readGraph } from "../operations/load-operation.js";
import { compileRoutes } from "../requests/compile-route.js";
import { describeApi, type OpenApiDocument } from "./openapi.js";

/** The document for a supergraph, without a server that runs its operations. Its addresses are relative. */
export function describedApi(supergraphSdl: string): OpenApiDocument {
  const graph = readGraph(supergraphSdl);
  const prepare = () => ({ run: () => Promise.reject(new Error("A description runs no operation")) });
  return describeApi(compileRoutes(graph, prepare), graph);
}
