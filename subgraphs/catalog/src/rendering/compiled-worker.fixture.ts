import { execFileSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const sources = join(dirname(fileURLToPath(import.meta.url)), "..");
const workspace = join(sources, "..");

/** Processes that render run the compiled code; builds it unless it is newer than every source. */
export function ensureCompiledWorker(): void {
  const entry = join(workspace, "dist/rendering/rendering-process.js");
  const compiledAt = statSync(entry, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const files = globSync("{compatibility,engine,nuget,parameters,rendering,validations/checks}/**/*.ts", {
    cwd: sources,
  });
  const changed = files.filter(
    (file) => !file.includes(".test.") && statSync(join(sources, file)).mtimeMs > compiledAt,
  );
  if (changed.length === 0) return;
  const tsc = join(workspace, "../../node_modules/typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "-b", workspace], { stdio: "pipe" });
  } catch (error) {
    // a type error elsewhere does not keep the worker from being compiled
    if (!statSync(entry, { throwIfNoEntry: false })) throw error;
  }
}
