import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { WorkerPool } from "../../workers/worker-pool/worker-pool.js";
import { ParameterChecker } from "./parameter-checker.js";

/** The parameter slice, as the catalog composes it. */
export const parameters: SliceModule = {
  slice: "parameters",
  start(_, services) {
    services.add(new ParameterChecker(services.get(WorkerPool)));
  },
};
