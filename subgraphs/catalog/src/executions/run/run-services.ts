import type { Listener } from "@factory/runtime/connections/listener";
import { StepWatch } from "@factory/runtime/step-feeds/step-watch";
import { executionChannel } from "../record/execution-steps.js";
import { EarlierRenders } from "./earlier-renders.js";
import { ExecutionRunner, type RunnerServices } from "./execution.runner.js";
import { Scaffolding, type ScaffoldingServices } from "./scaffolding.js";

type Parts = ScaffoldingServices & Pick<RunnerServices, "database" | "targets" | "logger"> & { listener: Listener };

/** Starts the services that run an execution, in the process of the subgraph or in a child process. */
export async function startRunServices({ database, targets, logger, listener, ...services }: Parts) {
  const watch = new StepWatch();
  await watch.start(listener, executionChannel);
  const scaffolding = new Scaffolding(services);
  const earlierRenders = new EarlierRenders(database, scaffolding);
  const runner = new ExecutionRunner({ database, scaffolding, targets, earlierRenders, watch, logger });
  return { watch, scaffolding, earlierRenders, runner };
}
