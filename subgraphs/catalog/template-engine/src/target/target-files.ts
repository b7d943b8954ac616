import { posix } from "node:path";
import type { TemplatePack } from "../configuration/template-pack.js";

/** What a template may look at of the place that it is rendered into: its solutions, projects and build properties. */
export interface TargetFiles {
  /** Folder of what is produced; "" is the top. */
  readonly directory: string;
  /** Their texts by paths from the top. */
  readonly files: ReadonlyMap<string, string>;
}

export const noTarget: TargetFiles = { directory: "", files: new Map() };

const addingActions = ["b17581d1-c5c9-4489-8f0a-004be667b814", "d396686c-de0e-4de6-906d-291cd29fc5de"];
const readablePaths = /(?:\.slnx?|\.\w+proj|(?:^|\/)Directory\.(?:Build|Packages)\.props)$/i;

/** Whether the template looks at its target: with a post action that adds to a project or solution, or a `msbuild:` binding. */
export function looksAtTarget({ config }: TemplatePack): boolean {
  const adds = config.postActions.some(({ actionId }) => addingActions.includes((actionId ?? "").toLowerCase()));
  return adds || [...config.symbols.values()].some((one) => one.type === "bind" && isProjectBinding(one.binding));
}

export function isProjectBinding(binding: string | null): boolean {
  return /^\s*msbuild\s*:/i.test(binding ?? "");
}

/** The paths of the target that a template may look at, nearest to the output folder first. */
export function pathsLookedAt(paths: Iterable<string>, directory: string): string[] {
  const around = foldersAbove(directory);
  const rank = (path: string) => {
    const index = around.indexOf(folderOf(path));
    return index === -1 ? around.length : index;
  };
  return [...paths]
    .filter((path) => readablePaths.test(path))
    .map((path) => ({ path, rank: rank(path) }))
    .sort((x, y) => x.rank - y.rank || (x.path < y.path ? -1 : 1))
    .map(({ path }) => path);
}

/** The target's files that fit, in the nearest folder at or above that has any. */
export function nearestInTarget(target: TargetFiles, from: string, fits: (path: string) => boolean): string[] {
  const fitting = [...target.files.keys()].filter(fits);
  for (const folder of foldersAbove(from)) {
    const found = fitting.filter((path) => folderOf(path) === folder);
    if (found.length > 0) return found;
  }
  return [];
}

/** A path from the folder of what is produced as one from the top; it may lead above the folder, never above the top. */
export function pathInTarget({ directory }: Pick<TargetFiles, "directory">, path: string): string | undefined {
  const joined = posix.join(directory, path.trim().replaceAll("\\", "/"));
  return joined.startsWith("../") || joined === ".." || joined.startsWith("/") ? undefined : joined;
}

export function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? "" : folder;
}

/** The folder itself and those around it up to the top, which is "". */
function foldersAbove(folder: string): string[] {
  const folders: string[] = [];
  for (let at = folder; at !== ""; at = folderOf(at)) folders.push(at);
  return [...folders, ""];
}
