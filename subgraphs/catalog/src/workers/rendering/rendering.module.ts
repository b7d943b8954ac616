import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { WorkerPool } from "../worker-pool/worker-pool.js";
import { TemplateRenderer } from "./template-renderer.js";

/** Template rendering in worker processes. */
export const rendering: SliceModule = {
  slice: "rendering",
  start(_, services) {
    services.add(new TemplateRenderer(services.get(WorkerPool)));
  },
};
