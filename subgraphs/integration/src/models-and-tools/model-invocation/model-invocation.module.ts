import type { Verifier } from "@factory/runtime/auth/authenticate";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { ConnectionService } from "../../connections/connections/connection.service.js";
import { VendorCalls } from "../../connections/vendor-calls/vendor-calls.js";
import { ProviderService } from "../../providers/providers/provider.service.js";
import { LateEnds } from "../../runs/held/late-ends.js";
import { HeldRuns } from "../../runs/held-runs.js";
import { ModelBudgets } from "../model-budgets/model-budgets.js";
import { ModelContents } from "../model-contents/model-contents.js";
import { KnownTargets } from "./known-targets.js";
import { ModelCalls } from "./model-calls.js";
import { modelInvocationEndpoint } from "./model-invocation.endpoint.js";
import { ModelInvocationService } from "./model-invocation.service.js";
import { ModelRuns } from "./model-run.js";
import { ModelTargetFinder } from "./model-targets.js";
import { ModelVendor } from "./model-vendor.js";

export interface ModelInvocationSettings {
  /** Verifies callers' tokens over gRPC. Without it models cannot be invoked. */
  readonly verifier?: Verifier;
  /** How long a model call may take, its fallback included. Default and most: 300 s. */
  readonly modelCallMs?: number;
}

/** Invokes language models through connections, for services that act for a tenant. */
export const modelInvocation: SliceModule<ModelInvocationSettings> = {
  slice: "model-invocation",
  events: ["ModelInvocationCompleted", "ModelInvocationFailed"],
  start({ database, settings, onStop }, services) {
    const { modelCallMs: callMs = 5 * 60_000 } = settings;
    const [connections, providers, vendorCalls] = [
      services.get(ConnectionService),
      services.get(ProviderService),
      services.get(VendorCalls),
    ];
    const knownTargets = new KnownTargets({ reader: database.reader, connections, providers, vendorCalls });
    const targets = new ModelTargetFinder(knownTargets, connections, providers);
    const runs = new ModelRuns({
      database,
      held: services.get(HeldRuns),
      budgets: services.get(ModelBudgets),
      contents: services.get(ModelContents),
    });
    const vendor = new ModelVendor(vendorCalls);
    const calls = new ModelCalls({ targets, runs, lateEnds: services.get(LateEnds), callMs });
    services.add(new ModelInvocationService(calls, vendor));
    onStop(() => calls.stop());
  },
  grpcServices: (get, { settings: { verifier } }) =>
    verifier ? [modelInvocationEndpoint(get(ModelInvocationService), verifier)] : [],
};
