import { execFileSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Compiles the workspace unless the entry is newer than every source. Tests run sources, but threads and processes run
 * compiled code.
 */
export function ensureCompiled(workspace: string, { entry, sources }: { entry: string; sources: string }): void {
  const compiledEntry = join(workspace, "dist", entry);
  const compiledAt = statSync(compiledEntry, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const folder = join(workspace, "src");
  const changedFiles = globSync(sources, { cwd: folder }).filter(
    (file) => !file.includes(".test.") && statSync(join(folder, file)).mtimeMs > compiledAt,
  );
  if (changedFiles.length === 0) return;
  const tsc = join(workspace, "../../node_modules/typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "-b", workspace], { stdio: "pipe" });
  } catch (error) {
    // The compiler emits despite a type error elsewhere, so the entry may exist.
    if (!statSync(compiledEntry, { throwIfNoEntry: false })) throw error;
  }
}
