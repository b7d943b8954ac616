import { readFile } from "node:fs/promises";
import { dirname, posix } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { type Import, importGraph } from "./import-graph.js";
import { root } from "./tracked-files.js";

/** Modules that read files whose names they only learn when they run. */
const readers: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^rest-facade\/src\/operations\/fragments\/.*\.graphql$/, ["rest-facade/src/operations/fragments.ts"]],
  [/^rest-facade\/src\/operations\/.*\.graphql$/, ["rest-facade/src/operations/load-operation.ts"]],
  [
    /^schema\/(?:events|commands)\/.*\.json$/,
    ["schema/event-schemas.ts", "subgraphs/runtime/src/messages/command-data.ts", "gateway/platform/src/compose.ts"],
  ],
  [/^schema\/.*\.graphql$/, ["gateway/src/supergraph/committed-supergraph.ts", "gateway/platform/src/compose.ts"]],
];

/**
 * Modules' imports, and their other ways to files: a worker, a program, a fixture or a document that a module names by
 * its path. A path to a folder counts for each file in it.
 */
export async function wayGraph(files: readonly string[]): Promise<Import[]> {
  const ways = await importGraph(root, files);
  for (const from of files.filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))) {
    const source = await readFile(root + from, "utf8");
    // only such a module finds files beside itself
    if (source.includes("import.meta.")) ways.push(...waysTo(namedFiles(from, source, files), from));
  }
  for (const [pattern, modules] of readers)
    for (const from of modules)
      ways.push(
        ...waysTo(
          files.filter((file) => pattern.test(file)),
          from,
        ),
      );
  return ways;
}

const waysTo = (files: readonly string[], from: string): Import[] => files.map((to) => ({ from, to, names: ["*"] }));

/** The files among `files` that a module's texts name. */
export function namedFiles(from: string, source: string, files: readonly string[]): string[] {
  const filters = textsOf(from, source).map((text) => namedBy(from, text));
  return files.filter((file) => file !== from && filters.some((names) => names(file)));
}

function textsOf(file: string, source: string): string[] {
  const texts: string[] = [];
  const add = (text: string) => {
    // a name alone, a way up, or all sources in a workspace name nothing in particular
    if (/[./]/.test(text) && /^[\w@./-]+$/.test(text) && !/(?:^|\/)(?:\.{0,2}|src)$/.test(text)) texts.push(text);
  };
  new Visitor({
    Literal: ({ value }) => {
      if (typeof value === "string") add(value);
    },
    TemplateLiteral: ({ quasis }) => quasis.forEach(({ value }) => add(value.raw)),
  }).visit(parseSync(file, source).program);
  return texts;
}

/** Tells whether a text names a file, by its path from the module or by the end of its path. */
function namedBy(from: string, text: string): (file: string) => boolean {
  const path = sourceOf(text.startsWith(".") ? posix.join(dirname(from), text) : text);
  if (text.startsWith(".")) return (file) => file === path || file.startsWith(`${path}/`);
  const folder = path.includes("/") ? `/${path}/` : undefined;
  return (file) =>
    `/${file}`.endsWith(`/${path}`) ||
    file.endsWith(`/${path}.ts`) ||
    (folder !== undefined && `/${file}`.includes(folder));
}

/** A compiled file's source. */
const sourceOf = (path: string): string =>
  path
    .replace(/^@factory\//, "")
    .replace(/^(schema|test)\/dist\//, "$1/")
    .replace(/(^|\/)dist\//, "$1src/")
    .replace(/\.js$/, ".ts");
