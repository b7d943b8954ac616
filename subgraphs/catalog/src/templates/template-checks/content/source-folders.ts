import type { FileTree } from "@factory/template-engine/file-tree";
import type { TemplatePack } from "@factory/template-engine/template-pack";

interface SourceFolder {
  /** The folder's path in `files`; "" is the whole tree. */
  readonly folder: string;
  readonly files: FileTree;
  /** The prefix that makes a path in `files` a path in the package. */
  readonly above: string;
}

/** The folder that a source names, in the template or beside it in the package; undefined when it is outside both. */
export function sourceFolder({ root, files, packageFiles }: TemplatePack, source: string): SourceFolder | undefined {
  const inside = withoutDots(source);
  if (inside !== undefined) return { folder: inside, files, above: root === "" ? "" : `${root}/` };
  const beside = isAbsolute(source) ? undefined : withoutDots(`${root}/${source}`.replace(/^\//, ""));
  return beside === undefined || root === "" ? undefined : { folder: beside, files: packageFiles, above: "" };
}

/** The files in a source: their full paths and their paths relative to the source. */
export function sourcePaths({ folder, files }: SourceFolder): { path: string; relative: string }[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  return Array.from(files.keys())
    .filter((path) => path.startsWith(prefix))
    .map((path) => ({ path, relative: path.slice(prefix.length) }));
}

/** Whether an output path would leave the output folder. */
export function leavesTree(path: string): boolean {
  return withoutDots(path) === undefined;
}

/** The path without `.` and `..`; undefined when it is absolute or leads above its start. */
export function withoutDots(path: string): string | undefined {
  if (isAbsolute(path)) return undefined;
  const folders: string[] = [];
  for (const part of path.split(/[\\/]/)) {
    if (part === "..") {
      if (folders.pop() === undefined) return undefined;
    } else if (part !== "" && part !== ".") folders.push(part);
  }
  return folders.join("/");
}

function isAbsolute(path: string): boolean {
  return /^(?:[a-z]:|[\\/])/i.test(path);
}
