import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureCompiled } from "@factory/runtime/threads/compiled-worker.fixture";

/** Compiles the worker entry unless it is newer than its sources. */
export function ensureCompiledWorker(): void {
  const workspace = join(dirname(fileURLToPath(import.meta.url)), "../../..");
  const sources = "{compatibility,executions/template-worker,templates,workers}/**/*.ts";
  ensureCompiled(workspace, { entry: "executions/template-worker/template-worker.js", sources });
}
