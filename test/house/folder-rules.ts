import { basename, dirname } from "node:path/posix";
import { cycles, type Import } from "./import-graph.js";
import { isForTests, isGenerated } from "./tracked-files.js";
import { wings } from "./wings.js";

/** The most sources that a folder may have. Tests, fixtures, events and migrations do not count. */
const maxFiles = 24;
/** The most files in a folder that may begin with the same word. More such files must be a folder. */
const maxPrefix = 4;

/** Suffixes for a tool or a whole package. They are not roles that many files share. */
const looseSuffixes = new Set(["config", "d"]);

const ofProduct = ({ from, to }: Import): boolean =>
  [from, to].every((file) => !isForTests(file) && !isGenerated(file));

/** Groups of files that import each other. Type imports count. */
export function fileCycles(imports: readonly Import[]): string[][] {
  return cycles(edgesBy(imports.filter(ofProduct), (file) => file));
}

/** Groups of folders that import each other. A folder and its subfolder are two folders. */
export function folderCycles(imports: readonly Import[]): string[][] {
  return cycles(edgesBy(imports.filter(ofProduct), dirname));
}

/** Groups of slices that import each other, with all that is in them. */
export function sliceCycles(imports: readonly Import[]): string[][] {
  return cycles(edgesBy(imports.filter(ofProduct), (file) => sliceOf(file) ?? dirname(file)));
}

/** Groups of rooms that import each other, with all that is in them. */
export function roomCycles(imports: readonly Import[]): string[][] {
  return cycles(edgesBy(imports.filter(ofProduct), (file) => roomOf(file) ?? dirname(file)));
}

function edgesBy(imports: readonly Import[], nodeOf: (file: string) => string): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [source, target] = [nodeOf(from), nodeOf(to)];
    if (source === target) continue;
    const targets = edges.get(source) ?? new Set();
    edges.set(source, targets.add(target));
  }
  return edges;
}

/** A room is a folder directly in `src/`: `subgraphs/spine/src/people`; `undefined` for a file beside the rooms. */
export const roomOf = (file: string): string | undefined => /^.*?\/src\/[^/]+(?=\/)/.exec(file)?.[0];

/** A room that is a wing holds slices, and any other room is one: `subgraphs/spine/src/people/users`. */
export function sliceOf(file: string): string | undefined {
  const room = roomOf(file);
  if (room === undefined || !wings.has(room)) return room;
  const [slice] = file.slice(room.length + 1).split("/");
  return `${room}/${slice}`;
}

const packageOf = (file: string): string => file.slice(0, file.indexOf("/src/"));

const text = ({ from, to }: Import): string => `${from} imports ${to}`;

/**
 * Imports that go up: from a slice to a file that stands directly in `src/` (those compose the slices), and from a slice
 * to one that stands later in its package's order, which is listed from the ground up.
 */
export function upwardImports(imports: readonly Import[], orders: ReadonlyMap<string, readonly string[]>): string[] {
  return imports
    .filter(ofProduct)
    .filter(({ from, to }) => {
      if (!from.includes("/src/") || packageOf(from) !== packageOf(to) || sliceOf(from) === undefined) return false;
      if (sliceOf(to) === undefined) return isSubgraph(from);
      const order = orders.get(packageOf(from)) ?? [];
      const [source, target] = [from, to].map((file) => placeIn(order, file));
      return source !== undefined && target !== undefined && source >= 0 && target > source;
    })
    .map(text);
}

/**
 * The place that a file's folder has in an order, or its slice's if the order does not list the folder itself;
 * otherwise -1.
 */
function placeIn(order: readonly string[], file: string): number {
  const [folder = "", slice = ""] = [dirname(file), sliceOf(file)].map((path) => path?.split("/src/")[1]);
  return order.includes(folder) ? order.indexOf(folder) : order.indexOf(slice);
}

/** A subgraph's slice reaches another one by its service, its types or its events, never by its entities. */
export function foreignEntityImports(imports: readonly Import[]): string[] {
  return imports
    .filter(ofProduct)
    .filter(({ from, to }) => to.endsWith(".entity.ts") && isSubgraph(from) && sliceOf(from) !== undefined)
    .filter(({ from, to }) => packageOf(from) === packageOf(to) && sliceOf(from) !== sliceOf(to))
    .map(text);
}

const isSubgraph = (file: string): boolean => /^subgraphs\/(catalog|integration|spine)\/src\//.test(file);

const isCounted = (file: string): boolean =>
  /\/src\/.*\.ts$/.test(file) && !isForTests(file) && !isGenerated(file) && !/\/(operations|events)\//.test(file);

/** Folders with more than 24 sources. */
export function crowdedFolders(files: readonly string[]): string[] {
  return [...filesByFolder(files)].filter(([, members]) => members.length > maxFiles).map(([folder]) => folder);
}

/** Groups of more than four files in a folder that begin with the same word: they are a folder. */
export function sharedPrefixes(files: readonly string[]): string[] {
  return [...filesByFolder(files)].flatMap(([folder, members]) => {
    const counts = new Map<string, number>();
    // a role suffix does not belong to the name: `job.entity.ts`, `job.service.ts` and `job.type.ts` have one name
    for (const file of new Set(members.map((member) => basename(member).split(".")[0] ?? ""))) {
      const [first, second] = file.split("-");
      if (first && second) counts.set(first, (counts.get(first) ?? 0) + 1);
    }
    const noun = singular(basename(folder).split("-")[0] ?? "");
    return [...counts]
      .filter(([word, count]) => count > maxPrefix && singular(word) !== noun)
      .map(([word, count]) => `${folder}/${word}-* (${count} files)`);
  });
}

const singular = (word: string): string => word.replace(/ies$/, "y").replace(/s$/, "");

function filesByFolder(files: readonly string[]): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const file of files.filter(isCounted)) {
    const members = folders.get(dirname(file)) ?? [];
    folders.set(dirname(file), [...members, file]);
  }
  return folders;
}

/** Role suffixes (`.service.ts`) that a single file in the project has. */
export function lonelySuffixes(files: readonly string[]): string[] {
  const bySuffix = new Map<string, string[]>();
  for (const file of files.filter(isCounted)) {
    const suffix = /\.([a-z-]+)\.ts$/.exec(basename(file))?.[1];
    if (suffix && !looseSuffixes.has(suffix)) bySuffix.set(suffix, [...(bySuffix.get(suffix) ?? []), file]);
  }
  return [...bySuffix.values()].filter(({ length }) => length === 1).flat();
}
