import { parseVersion } from "@factory/nuget/version";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { FileTree, TreeFile } from "@factory/template-engine/file-tree";
import { centralFileNames, centralVersionsOf } from "./central-versions.js";
import {
  centralVersion,
  type Edit,
  type InjectedPackage,
  referenceWithoutVersion,
  referenceWithVersion,
} from "./library-edits.js";
import { lookupPaths, projectsForLibraries } from "./project-files.js";
import { ScaffoldTexts } from "./scaffold-texts.js";

export interface InjectionContext {
  readonly primaryOutputs: readonly string[];
  /** Reads a file on the target branch. */
  readonly targetBranchFile?: (path: string) => Uint8Array | undefined;
}

/** A library that was not added, or not in the requested version. */
export interface InjectionWarning {
  readonly code: "NoProjectForLibraries" | "LibraryVersionAlreadyHigher";
  readonly message: string;
}

interface Injection {
  readonly files: Map<string, TreeFile>;
  readonly warnings: InjectionWarning[];
  /** Files on the target branch that were edited only to hold package versions. */
  readonly branchFiles: string[];
}

/** Adds the libraries to the generated projects by text edits that keep line endings, byte order mark and indentation. */
export function injectPackageReferences(
  files: FileTree,
  libraries: readonly InjectedPackage[],
  context: InjectionContext,
): Injection {
  for (const library of libraries) requireExactVersion(library);
  const projects = projectsForLibraries(files, context.primaryOutputs);
  if (projects.length === 0) return injectNothing(files, libraries);
  const texts = new ScaffoldTexts(files, context.targetBranchFile ?? (() => undefined));
  const warnings = new Map<string, InjectionWarning>();
  const apply = (path: string, library: InjectedPackage, change: (text: string, library: InjectedPackage) => Edit) => {
    let overridden = false;
    texts.edit(path, (text) => {
      const edit = change(text, library);
      overridden = edit.overridden ?? false;
      if (edit.keptHigher !== undefined)
        warnings.set(`${path}|${library.packageName}`, alreadyHigher(path, library, edit.keptHigher));
      return edit.text;
    });
    return { overridden };
  };
  for (const project of projects) {
    const central = centralVersionsOf(project, texts);
    for (const library of libraries) {
      if (central === undefined) apply(project, library, referenceWithVersion);
      else if (!apply(project, library, referenceWithoutVersion).overridden) apply(central, library, centralVersion);
    }
  }
  const branchFiles = texts
    .edited()
    .filter((path) => !files.has(path) && context.targetBranchFile?.(path) !== undefined);
  return { files: texts.toTree(), warnings: [...warnings.values()], branchFiles };
}

/** The paths that `targetBranchFile` is called with, so that a caller can fetch them all at once. */
export function branchFilesToRead(files: FileTree, primaryOutputs: readonly string[]): string[] {
  const projects = projectsForLibraries(files, primaryOutputs);
  const paths = projects.flatMap((project) => centralFileNames.flatMap((name) => lookupPaths(project, name)));
  return [...new Set(paths)].filter((path) => !files.has(path)).sort();
}

// with a floating version or none, the same scaffold would restore other packages on another day
function requireExactVersion({ packageName, version }: InjectedPackage): void {
  if (parseVersion(version) !== undefined) return;
  throw new DomainError("LIBRARY_INJECTION_FAILED", {
    detail: `The version "${version}" of ${packageName} is not an exact version. Use one exact version, for example 1.2.3.`,
    packageName,
    version,
  });
}

function injectNothing(files: FileTree, libraries: readonly InjectedPackage[]): Injection {
  const names = libraries.map(({ packageName, version }) => `${packageName} ${version}`).join(", ");
  const message = `The scaffold has no project that can reference packages. These libraries were not added: ${names}.`;
  const warnings = libraries.length === 0 ? [] : [{ code: "NoProjectForLibraries" as const, message }];
  return { files: new Map(files), warnings, branchFiles: [] };
}

function alreadyHigher(path: string, { packageName, version }: InjectedPackage, keptVersion: string): InjectionWarning {
  const message = `${path} already references ${packageName} ${keptVersion}, which is higher than ${version}. The higher version was kept.`;
  return { code: "LibraryVersionAlreadyHigher", message };
}
