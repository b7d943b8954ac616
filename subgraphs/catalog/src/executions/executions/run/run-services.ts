import type { Notifications } from "@factory/runtime/connections/listener";
import { StepWatch } from "@factory/runtime/step-feeds/step-watch";
import type { SourceControl } from "../../../git/source-control/source-control.js";
import { executionTable } from "../record/execution-steps.js";
import { EarlierRenders } from "./earlier-renders.js";
import { ExecutionRunner, type RunnerServices } from "./execution.runner.js";
import { PullRequestOpening } from "./pull-request-opening.js";
import { Scaffolding, type ScaffoldingServices } from "./scaffolding.js";

type Parts = ScaffoldingServices &
  Pick<RunnerServices, "database" | "targets" | "logger"> & { listener: Notifications; sourceControl: SourceControl };

/** Starts the services that run an execution, in the subgraph's process or in a child process. */
export async function startRunServices({ database, targets, sourceControl, logger, listener, ...services }: Parts) {
  const watch = new StepWatch();
  await watch.start(listener, executionTable.channel);
  const scaffolding = new Scaffolding(services);
  const earlierRenders = new EarlierRenders(database, scaffolding);
  const pullRequests = new PullRequestOpening(sourceControl);
  const runner = new ExecutionRunner({ database, scaffolding, targets, earlierRenders, pullRequests, watch, logger });
  return { watch, scaffolding, earlierRenders, runner };
}
