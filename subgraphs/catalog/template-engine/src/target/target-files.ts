import { posix } from "node:path";
import type { TemplatePack } from "../configuration/template-pack.js";

/** The target's files that a template may read: solutions, projects and build properties. */
export interface TargetFiles {
  /** The output folder in the target; "" is the root. */
  readonly directory: string;
  /** The files' texts by path from the root. */
  readonly files: ReadonlyMap<string, string>;
}

/** An empty target whose root is the output folder. */
export const noTarget: TargetFiles = { directory: "", files: new Map() };

const addingActions = ["b17581d1-c5c9-4489-8f0a-004be667b814", "d396686c-de0e-4de6-906d-291cd29fc5de"];
const readablePaths = /(?:\.slnx?|\.\w+proj|(?:^|\/)Directory\.(?:Build|Packages)\.props)$/i;

/** Whether a template reads its target: by a post action that edits a project or solution, or by a `msbuild:` binding. */
export function readsTarget({ config }: TemplatePack): boolean {
  const adds = config.postActions.some(({ actionId }) => addingActions.includes((actionId ?? "").toLowerCase()));
  return (
    adds || [...config.symbols.values()].some((symbol) => symbol.type === "bind" && isProjectBinding(symbol.binding))
  );
}

/** Whether a binding reads a property from the target's project. */
export function isProjectBinding(binding: string | null): boolean {
  return /^\s*msbuild\s*:/i.test(binding ?? "");
}

/** The target's paths that a template may read, the nearest to the output folder first. */
export function readableTargetPaths(paths: Iterable<string>, directory: string): string[] {
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

/** The files that match in the nearest folder, at or above `from`, that has any. */
export function nearestInTarget(target: TargetFiles, from: string, fits: (path: string) => boolean): string[] {
  const fitting = [...target.files.keys()].filter(fits);
  for (const folder of foldersAbove(from)) {
    const paths = fitting.filter((path) => folderOf(path) === folder);
    if (paths.length > 0) return paths;
  }
  return [];
}

/** Converts a path from the output folder to one from the root; undefined when it leads above the root. */
export function pathInTarget({ directory }: Pick<TargetFiles, "directory">, path: string): string | undefined {
  const result = posix.join(directory, path.trim().replaceAll("\\", "/"));
  return result.startsWith("../") || result === ".." || result.startsWith("/") ? undefined : result;
}

/** A path's folder; "" is the root. */
export function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? "" : folder;
}

/** The folder and its parent folders up to the root, which is "". */
function foldersAbove(folder: string): string[] {
  const folders: string[] = [];
  for (let at = folder; at !== ""; at = folderOf(at)) folders.push(at);
  return [...folders, ""];
}
