import type { Bus } from "../bus/bus.js";
import type { SchemaConnections } from "../connections/schema-connections.js";
import type { JobProcess } from "../jobs/runs/job-process.js";
import type { RefusalSink } from "../messages/refusal.js";
import type { Logger } from "../telemetry/logger.js";

/** The resources that a process gives to a subgraph that it starts. */
export interface SubgraphHost {
  readonly connections: SchemaConnections;
  readonly bus: Bus;
  readonly logger: Logger;
  /** Takes refusals for the audit log. Without it they are dropped. */
  readonly refusals?: RefusalSink;
  /** One process's job queues share it. Without it the subgraph makes its own. */
  readonly jobProcess?: JobProcess;
  /** The subgraph's SDL, if a build has printed it from the code that runs. */
  readonly printedSdl?: string | undefined;
}
