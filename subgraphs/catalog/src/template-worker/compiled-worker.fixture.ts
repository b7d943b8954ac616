import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureCompiled } from "@factory/runtime/threads/compiled-worker.fixture";

export function ensureCompiledWorker(): void {
  const workspace = join(dirname(fileURLToPath(import.meta.url)), "../..");
  const sources = "{compatibility,engine,nuget,parameters,rendering,validations/checks}/**/*.ts";
  ensureCompiled(workspace, { entry: "rendering/rendering-process.js", sources });
}
