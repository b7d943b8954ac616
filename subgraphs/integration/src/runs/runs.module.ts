import { StepWatch } from "@factory/runtime/step-feeds/step-watch";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { LateEnds } from "./held/late-ends.js";
import { HeldRuns } from "./held-runs.js";
import { Run } from "./run.entity.js";
import { RunResolver } from "./run.resolver.js";
import { routineRunRetention, runRetention } from "./run.retention.js";
import { RunRunner } from "./run.runner.js";
import { RunService } from "./run.service.js";
import { readRuns } from "./run.type.js";
import { RunCounts } from "./run-counts.js";
import { RunFailure } from "./run-failure.js";
import { runJob, waitingRuns } from "./run-job.js";
import { RunListResolver } from "./run-list.resolver.js";
import { RunListService } from "./run-list.service.js";
import { RunOperations } from "./run-operations.js";
import { runTable } from "./run-record.js";
import { runStatusResolver } from "./run-status.resolver.js";

/** Runs for everything that this subgraph does asynchronously for a tenant. */
export const runs: SliceModule = {
  slice: "runs",
  entities: [Run],
  foreignKeys: {
    "runs.connection_id": { to: null, why: "History: the run tells of a connection that may be deleted." },
    "runs.credential_id": { to: null, why: "History: the run tells of a credential that may be deleted." },
    "runs.delivery_id": { to: null, why: "History: the delivery is deleted earlier than its run." },
  },
  jobs: [runJob],
  events: ["RunStarted", "RunCompleted", "RunFailed", "RunTimedOut", "RunCancelled"],
  waitingRows: [waitingRuns],
  async start({ database, jobs, listener, cursors, logger, work, onStop }, services) {
    const operations = services.add(new RunOperations());
    const counts = services.add(new RunCounts());
    const watch = new StepWatch();
    await watch.start(listener, runTable.channel);
    services.add(new HeldRuns(operations, watch, counts));
    const lateEnds = services.add(new LateEnds(logger));
    onStop(() => lateEnds.stop());
    const service = services.add(new RunService({ database, jobs, operations, watch, counts, logger }));
    services.add(new RunListService(database, cursors));
    onStop(() => service.stop());
    const runner = new RunRunner({ database, jobs, operations, watch, counts, logger });
    work(runJob, (payload, attempt) => runner.run(payload, attempt), new RunFailure(database, operations, counts));
  },
  resolvers: (get) => [
    new RunResolver(get(RunService)),
    new RunListResolver(get(RunListService)),
    runStatusResolver(get(RunService)),
  ],
  links: {
    "Run.connectionId": { to: "Connection" },
    "Run.credentialId": { to: "Credential" },
    "Run.deliveryId": { to: "WebhookDelivery" },
  },
  references(get) {
    const service = get(RunService);
    return {
      Run: {
        id: { prefix: "run", field: "runId" },
        auth: readRuns,
        resolve: ({ runId = "" }, context) => service.find(tenantOf(context), runId),
      },
    };
  },
  retention: () => [runRetention, routineRunRetention],
};
