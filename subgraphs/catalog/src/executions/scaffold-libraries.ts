import type { FileTree, TreeFile } from "../engine/file-tree.js";
import { branchFilesToRead, type InjectionWarning, injectPackageReferences } from "../package-references/inject.js";
import type { Target, TargetEdit } from "../targets/push-scaffold.js";
import type { LibraryReference } from "./execution.entity.js";

export interface ScaffoldWithLibraries {
  readonly files: ReadonlyMap<string, TreeFile>;
  /** Changes to files that only the target branch has. */
  readonly edits: ReadonlyMap<string, TargetEdit>;
  readonly warnings: readonly InjectionWarning[];
}

interface Rendered {
  readonly files: FileTree;
  readonly primaryOutputs: readonly string[];
}

/** Package references for the rendered projects; where the target branch keeps versions centrally, its file is edited. */
export async function addLibraries(
  rendered: Rendered,
  libraries: readonly LibraryReference[],
  target: Target,
): Promise<ScaffoldWithLibraries> {
  if (libraries.length === 0) return { files: rendered.files, edits: new Map(), warnings: [] };
  const { files, primaryOutputs } = rendered;
  const onBranch = new Map<string, Uint8Array>();
  for (const path of branchFilesToRead(files, primaryOutputs)) {
    const bytes = await target.file(path);
    if (bytes) onBranch.set(path, bytes);
  }
  const inject = (branch: ReadonlyMap<string, Uint8Array>) =>
    injectPackageReferences(files, libraries, { primaryOutputs, targetBranchFile: (path) => branch.get(path) });
  const injected = inject(onBranch);
  const edits = new Map<string, TargetEdit>();
  for (const path of injected.branchFiles) {
    injected.files.delete(path);
    edits.set(path, (current) => inject(new Map([...onBranch, [path, current]])).files.get(path)?.bytes ?? current);
  }
  return { files: injected.files, edits, warnings: injected.warnings };
}
