import { DomainError } from "@factory/runtime/errors/domain-error";
import type { FileTree, TreeFile } from "@factory/template-engine/file-tree";
import {
  branchFilesToRead,
  type InjectionWarning,
  injectPackageReferences,
} from "../../../targets/package-references/inject.js";
import type { Target, TargetEdit } from "../../../targets/targets/push-scaffold.js";
import type { RequestedLibrary } from "../record/execution.entity.js";

/** Rendered files with an execution's package references. */
interface ScaffoldWithLibraries {
  readonly files: ReadonlyMap<string, TreeFile>;
  /** Edits to files that only the target branch has. */
  readonly edits: ReadonlyMap<string, TargetEdit>;
  readonly warnings: readonly InjectionWarning[];
}

interface Rendered {
  readonly files: FileTree;
  readonly primaryOutputs: readonly string[];
}

/** Limits for a target's files that define package versions. All are in memory at once. */
const maxBranchFiles = 50;
const maxBranchBytes = 8 * 1024 * 1024;

const tooManyBranchFiles = () =>
  new DomainError("LIBRARY_INJECTION_FAILED", {
    detail: `The files of the target that define package versions are more than ${maxBranchFiles}, or more than 8 MiB together.`,
  });

/**
 * Adds package references to the rendered projects. When the target branch manages versions centrally, its file is
 * edited.
 */
export async function addLibraries(
  renderResult: Rendered,
  libraries: readonly RequestedLibrary[],
  target: Target,
): Promise<ScaffoldWithLibraries> {
  if (libraries.length === 0) return { files: renderResult.files, edits: new Map(), warnings: [] };
  const { files, primaryOutputs } = renderResult;
  const onBranch = new Map<string, Uint8Array>();
  let bytesLeft = maxBranchBytes;
  for (const path of branchFilesToRead(files, primaryOutputs)) {
    const bytes = await target.file(path);
    if (!bytes) continue;
    onBranch.set(path, bytes);
    bytesLeft -= bytes.length;
    if (bytesLeft < 0 || onBranch.size > maxBranchFiles) throw tooManyBranchFiles();
  }
  const inject = (branch: ReadonlyMap<string, Uint8Array>) =>
    injectPackageReferences(files, libraries, { primaryOutputs, targetBranchFile: (path) => branch.get(path) });
  const injection = inject(onBranch);
  const edits = new Map<string, TargetEdit>();
  for (const path of injection.branchFiles) {
    const [seenText, editedText] = [onBranch.get(path), injection.files.get(path)?.bytes];
    injection.files.delete(path);
    edits.set(path, (current) => {
      // The injection runs again only when the branch has moved.
      if (seenText && editedText && Buffer.compare(seenText, current) === 0) return editedText;
      return inject(new Map([...onBranch, [path, current]])).files.get(path)?.bytes ?? current;
    });
  }
  return { files: injection.files, edits, warnings: injection.warnings };
}
