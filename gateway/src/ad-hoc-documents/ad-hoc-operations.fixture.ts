import { createLogger } from "@factory/runtime/telemetry/logger";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { GraphQLSchema } from "graphql";
import type { RateLimits } from "../admission/operation-charge.js";
import { SupergraphExecutor } from "../execution/supergraph-executor.js";
import { OperationPlanner } from "../query-planner/operation-planner.js";
import { localSubgraph } from "../subgraphs/local-subgraph.js";
import { AdHocOperations } from "./ad-hoc-operations.js";
import { ensureCompiledWorker } from "./compiled-worker.fixture.js";
import type { PlanningLimits } from "./planning-thread.js";

type Executor = SupergraphExecutor<RequestContext>;

/** Creates ad-hoc operations with their own planning thread, over an executor or over this process's subgraphs. */
export function adHocOperations(
  graph: { supergraphSdl: string } & ({ executor: Executor } | { schemas: ReadonlyMap<string, GraphQLSchema> }),
  limits: RateLimits,
  { introspection = true, planning = {} }: { introspection?: boolean; planning?: Partial<PlanningLimits> } = {},
): AdHocOperations {
  ensureCompiledWorker();
  const { supergraphSdl } = graph;
  const logger = createLogger("test", "silent");
  const executor = "executor" in graph ? graph.executor : executorOver(supergraphSdl, graph.schemas);
  return new AdHocOperations({ executor, supergraphSdl, introspection, limits, logger, planning });
}

function executorOver(supergraphSdl: string, schemas: ReadonlyMap<string, GraphQLSchema>): Executor {
  const subgraphs = [...schemas].map(([name, schema]) => localSubgraph<RequestContext>(name, schema));
  return new SupergraphExecutor(new OperationPlanner(supergraphSdl), subgraphs);
}
