import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureCompiled } from "@factory/runtime/threads/compiled-worker.fixture";

export function ensureCompiledWorker(): void {
  const workspace = join(dirname(fileURLToPath(import.meta.url)), "../..");
  ensureCompiled(workspace, {
    entry: "ad-hoc-documents/planning-worker.js",
    sources: "{ad-hoc-documents,limits,query-planner,requirements,supergraph}/*.ts",
  });
}
