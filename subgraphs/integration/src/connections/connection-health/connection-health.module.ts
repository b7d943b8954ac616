import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { ProviderService } from "../../providers/providers/provider.service.js";
import { RunService } from "../../runs/run.service.js";
import { RunOperations } from "../../runs/run-operations.js";
import { ConnectionService } from "../connections/connection.service.js";
import { ConnectionHealthRecord } from "../connections/connection-health-record.js";
import { ConnectionStates } from "../connections/connection-moves.js";
import { VendorCallOutcomes } from "../vendor-calls/call-outcomes.js";
import { VendorProbe } from "../vendor-calls/vendor-probe.js";
import { CallEvidence } from "./call-evidence.js";
import { CheckStarter } from "./check-starter.js";
import { ConnectionCheck } from "./connection-check.js";
import { ConnectionHealthResolver } from "./connection-health.resolver.js";
import { ConnectionHealthService } from "./connection-health.service.js";
import { DueChecks } from "./due-checks.js";
import { ProbeTimes } from "./probe-times.js";

export interface ConnectionHealthSettings {
  /** The time by which connections are checked. Default: the system clock. */
  readonly clock?: () => Date;
  /** The time between two checks on a connection. Default: five minutes. */
  readonly probeIntervalMs?: number;
}

const defaultIntervalMs = 300_000;

/** Checks connections by schedule and by how their calls end, and changes their health. */
export const connectionHealth: SliceModule<ConnectionHealthSettings> = {
  slice: "connection-health",
  start({ settings, database, workers, logger, onStarted, onStop }, services) {
    const { clock = () => new Date(), probeIntervalMs = defaultIntervalMs } = settings;
    const runs = services.get(RunService);
    const times = new ProbeTimes(clock, probeIntervalMs);
    const starter = new CheckStarter({ database, runs, times });
    const due = new DueChecks({ workers, starter, times, logger });
    const check = new ConnectionCheck({
      connections: services.get(ConnectionService),
      providers: services.get(ProviderService),
      states: services.get(ConnectionStates),
      health: services.get(ConnectionHealthRecord),
      probe: services.get(VendorProbe),
      times,
      ended: () => due.hasRoom(),
    });
    const operations = services.get(RunOperations);
    operations.add("VerifyConnection", check);
    operations.add("CheckHealth", check);
    const evidence = services.add(new CallEvidence({ workers, starter, times, logger }));
    services.get(VendorCallOutcomes).listen((outcome) => evidence.add(outcome));
    services.add(new ConnectionHealthService({ database, runs, starter }));
    onStarted(() => {
      due.start();
      evidence.start();
    });
    onStop(async () => {
      await Promise.all([due.stop(), evidence.stop()]);
    });
  },
  resolvers: (get) => [new ConnectionHealthResolver(get(ConnectionHealthService))],
};
