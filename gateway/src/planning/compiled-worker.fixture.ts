import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureCompiled } from "@factory/runtime/threads/compiled-worker.fixture";

export function ensureCompiledWorker(): void {
  const workspace = join(dirname(fileURLToPath(import.meta.url)), "../..");
  ensureCompiled(workspace, { entry: "planning/planning-worker.js", sources: "{planning,execution}/*.ts" });
}
