import type { FetchNode, ResponsePath } from "@apollo/query-planner";
import type { ExecutionResult, GraphQLError } from "graphql";
import { downstreamError } from "./downstream-error.js";
import { renamedKeys } from "./rewrites.js";

/** Gives each path in a subgraph's answer the paths in the response. */
export type ErrorPaths = (path: ResponsePath) => ResponsePath[];

/** Where a run gathers its errors. */
interface ErrorList {
  readonly errors: GraphQLError[];
  readonly clientKeys: ReadonlyMap<string, string>;
}

/** Gives the keys in a fetch's paths the names that its rewrites have given them. */
export function pathRenamer(node: FetchNode): (path: ResponsePath) => ResponsePath {
  const keyNames = renamedKeys(node.outputRewrites);
  return (path) => renamePath(path, keyNames);
}

function renamePath(path: ResponsePath, names: ReadonlyMap<string, string>): ResponsePath {
  return path.map((element) => (typeof element === "string" ? (names.get(element) ?? element) : element));
}

/** Adds the errors in a subgraph's answer, each at its paths in the response. */
export function noteErrors(run: ErrorList, result: ExecutionResult, subgraph: string, errorPaths: ErrorPaths): void {
  for (const error of result.errors ?? []) {
    if (!error.path) {
      run.errors.push(downstreamError(error, subgraph, undefined));
      continue;
    }
    for (const path of errorPaths([...error.path])) {
      run.errors.push(downstreamError(error, subgraph, renamePath(path, run.clientKeys)));
    }
  }
}
