import { readFile } from "node:fs/promises";
import { dirname, posix } from "node:path";
import { parseSync } from "oxc-parser";
import { root, trackedFiles } from "./tracked-files.js";

/** One import between two files in the project; a type import counts like any other. */
export interface Import {
  readonly from: string;
  readonly to: string;
  readonly names: readonly string[];
}

interface Package {
  readonly folder: string;
  readonly name: string;
  readonly exports?: Readonly<Record<string, { readonly source: string } | string>>;
}

/** Every static and dynamic import among the checkout's TypeScript files, packages included. */
export async function importGraph(folder = root, files: readonly string[] = trackedFiles(folder)): Promise<Import[]> {
  const fileSet = new Set(files);
  const packages = await packagesOf(trackedFiles(folder), folder);
  const imports: Import[] = [];
  for (const from of files.filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))) {
    const { module } = parseSync(from, await readFile(`${folder}/${from}`, "utf8"));
    for (const { moduleRequest, entries } of module.staticImports) {
      const to = resolved(from, moduleRequest.value, packages, fileSet);
      if (to) imports.push({ from, to, names: entries.map(({ importName }) => importName.name ?? "*") });
    }
    const reexports = module.staticExports.flatMap(({ entries }) => entries);
    for (const { moduleRequest, importName } of reexports) {
      const to = moduleRequest ? resolved(from, moduleRequest.value, packages, fileSet) : undefined;
      if (to) imports.push({ from, to, names: [importName.name ?? "*"] });
    }
    const source = module.dynamicImports.length > 0 ? await readFile(`${folder}/${from}`, "utf8") : "";
    for (const { moduleRequest } of module.dynamicImports) {
      const specifier = source.slice(moduleRequest.start, moduleRequest.end).replace(/^["'`]|["'`]$/g, "");
      const to = resolved(from, specifier, packages, fileSet);
      if (to) imports.push({ from, to, names: ["*"] });
    }
  }
  return imports;
}

async function packagesOf(files: readonly string[], folder: string): Promise<Package[]> {
  const manifests = files.filter((file) => file.endsWith("/package.json") && !file.startsWith("test/fixtures/"));
  return Promise.all(
    manifests.map(async (file) => {
      const { name, exports } = JSON.parse(await readFile(`${folder}/${file}`, "utf8")) as Package;
      return { folder: dirname(file), name, ...(exports && { exports }) };
    }),
  );
}

function resolved(from: string, specifier: string, packages: readonly Package[], fileSet: ReadonlySet<string>) {
  const file = specifier.startsWith(".")
    ? posix.join(dirname(from), specifier).replace(/\.js$/, ".ts")
    : exportedFile(specifier, packages);
  return file !== undefined && fileSet.has(file) ? file : undefined;
}

function exportedFile(specifier: string, packages: readonly Package[]): string | undefined {
  const owner = packages.find(({ name }) => specifier.startsWith(`${name}/`));
  if (!owner) return undefined;
  const path = `./${specifier.slice(owner.name.length + 1)}`;
  const targets = Object.entries(owner.exports ?? {}).flatMap(([pattern, target]) => {
    const star = starOf(pattern, path);
    const source = typeof target === "string" ? target : target.source;
    return star === undefined ? [] : [{ length: pattern.length, file: source.replace("*", star) }];
  });
  const best = targets.sort((a, b) => b.length - a.length)[0];
  return best && posix.join(owner.folder, best.file);
}

function starOf(pattern: string, path: string): string | undefined {
  const [head = "", tail] = pattern.split("*");
  if (tail === undefined) return pattern === path ? "" : undefined;
  return path.startsWith(head) && path.endsWith(tail) ? path.slice(head.length, path.length - tail.length) : undefined;
}

/** The groups of two or more nodes that reach each other (Tarjan's strongly connected components). */
export function cycles(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];
  const visit = (node: string): number => {
    const number = order.size;
    order.set(node, number);
    low.set(node, number);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      const lowest = order.has(next) ? (stack.includes(next) ? (order.get(next) ?? number) : number) : visit(next);
      low.set(node, Math.min(low.get(node) ?? number, lowest));
    }
    if (low.get(node) === number) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1) groups.push(group.sort());
    }
    return low.get(node) ?? number;
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return groups;
}
