import { readFile } from "node:fs/promises";
import { parseSync, Visitor } from "oxc-parser";
import { sliceOf } from "./folder-rules.js";
import { isForTests, isGenerated } from "./tracked-files.js";

/** A subgraph's file, with its text. */
interface SourceFile {
  readonly file: string;
  readonly source: string;
}

const declaredTable = /@Entity\(\s*(?:(?:\w+\(\s*)+"([a-z_]+)"|\{[^}]*?tableName:\s*"([a-z_]+)")/g;
const tableList = /^\/\/ tables: (.+)$/m;

/** One subgraph's sources. */
export async function subgraphSources(
  files: readonly string[],
  subgraph: string,
  folder: string,
): Promise<SourceFile[]> {
  const sourceFiles = files.filter(
    (file) =>
      file.startsWith(`subgraphs/${subgraph}/src/`) && file.endsWith(".ts") && !isForTests(file) && !isGenerated(file),
  );
  return Promise.all(sourceFiles.map(async (file) => ({ file, source: await readFile(`${folder}/${file}`, "utf8") })));
}

/** Each table in a subgraph with the slice whose entity declares it. */
export function tableOwners(sources: readonly SourceFile[]): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { file, source } of sources) {
    for (const [, first, second] of source.matchAll(declaredTable))
      owners.set(first ?? second ?? "", sliceOf(file) ?? file);
  }
  return owners;
}

/**
 * Where SQL touches another slice's table outside a `*-statement.ts`, and where such a file's table list differs from
 * its SQL.
 */
export function foreignTables(sources: readonly SourceFile[], owners: ReadonlyMap<string, string>): string[] {
  return sources.flatMap(({ file, source }) => {
    const usedTables = tablesIn(file, source, owners);
    const foreign = [...usedTables].filter((table) => owners.get(table) !== sliceOf(file));
    if (foreign.length === 0 || sliceOf(file) === undefined) return [];
    if (!file.endsWith("-statement.ts"))
      return foreign.map((table) => `${file} touches ${table} of ${owners.get(table)}`);
    const listedTables = new Set(tableList.exec(source)?.[1]?.split(/,\s*/));
    const wrong = [...usedTables]
      .filter((table) => !listedTables.has(table))
      .concat([...listedTables].filter((table) => !usedTables.has(table)));
    return wrong.length === 0 ? [] : [`${file} lists other tables than its SQL touches: ${wrong.join(", ")}`];
  });
}

const afterVerb = /\b(?:from|join|into|update)\s+(?:only\s+)?(?:"?[a-z]\w*"?\.)?"?([a-z_]+)"?/gi;
const sql = /\b(?:select|insert into|update|delete from|with)\b/i;

function tablesIn(file: string, source: string, owners: ReadonlyMap<string, string>): Set<string> {
  const tables = new Set<string>();
  const collect = (text: string) => {
    if (!sql.test(text) && !/\b(?:from|join)\b/i.test(text)) return;
    for (const [, table = ""] of text.matchAll(afterVerb)) if (owners.has(table)) tables.add(table);
  };
  const { program } = parseSync(file, source);
  new Visitor({
    Literal: ({ value }) => {
      if (typeof value === "string") collect(value);
    },
    TemplateLiteral: ({ quasis }) => collect(quasis.map(({ value }) => value.cooked ?? value.raw).join("X")),
  }).visit(program);
  return tables;
}
