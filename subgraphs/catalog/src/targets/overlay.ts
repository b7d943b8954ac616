import type { TreeEntry } from "../git/tree-listing.js";

export interface ProducedFile {
  readonly mode: "100644" | "100755";
  readonly id: string;
}

interface Overlay {
  readonly created: readonly string[];
  readonly updated: readonly string[];
  /** A file stands where a folder is needed, or the other way round: writing would remove what was not produced. */
  readonly blocked: readonly string[];
}

/** Compares produced files with the target's tree. Files that were not produced stay. */
export function planOverlay(
  existing: ReadonlyMap<string, TreeEntry>,
  produced: ReadonlyMap<string, ProducedFile>,
): Overlay {
  const folders = foldersOf(existing.keys());
  const created: string[] = [];
  const updated: string[] = [];
  const blocked: string[] = [];
  for (const [path, file] of produced) {
    const found = existing.get(path);
    if (folders.has(path) || parentsOf(path).some((parent) => existing.has(parent))) blocked.push(path);
    else if (found === undefined) created.push(path);
    else if (found.id !== file.id || found.mode !== file.mode) updated.push(path);
  }
  return { created, updated, blocked };
}

function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) for (const parent of parentsOf(path)) folders.add(parent);
  return folders;
}

function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) parents.push(path.slice(0, end));
  return parents;
}
