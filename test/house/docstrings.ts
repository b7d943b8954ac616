import { readFile } from "node:fs/promises";
import { parseSync } from "oxc-parser";
import { importGraph } from "./import-graph.js";
import { isForTests, root } from "./tracked-files.js";

interface DocumentedExport {
  readonly file: string;
  readonly name: string;
  readonly line: number;
  readonly documented: boolean;
  /** How many files in other folders import the export. */
  readonly uses: number;
}

/** The exports that a file in another folder imports, the most used first. */
export async function crossFolderExports(folder = root): Promise<DocumentedExport[]> {
  const imports = await importGraph(folder);
  const uses = new Map<string, number>();
  for (const { from, to, names } of imports) {
    if (isForTests(from) || folderOf(from) === folderOf(to)) continue;
    for (const name of names) uses.set(`${to} ${name}`, (uses.get(`${to} ${name}`) ?? 0) + 1);
  }
  const crossExports: DocumentedExport[] = [];
  for (const file of new Set(imports.map(({ to }) => to))) {
    if (isForTests(file) || /\/(generated|migrations)\//.test(file)) continue;
    for (const exportFacts of exportsOf(file, await readFile(`${folder}/${file}`, "utf8"))) {
      const count = uses.get(`${file} ${exportFacts.name}`);
      if (count !== undefined) crossExports.push({ ...exportFacts, uses: count });
    }
  }
  return crossExports.sort((a, b) => b.uses - a.uses);
}

function exportsOf(file: string, source: string): Omit<DocumentedExport, "uses">[] {
  const { program, comments } = parseSync(file, source);
  const docs = comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"));
  return program.body.flatMap((statement) => {
    if (statement.type !== "ExportNamedDeclaration" || !statement.declaration) return [];
    const { declaration } = statement;
    const decorators = "decorators" in declaration ? declaration.decorators : [];
    const start = Math.min(statement.start, ...decorators.map((decorator) => decorator.start));
    const isDocumented = docs.some(({ end }) => end <= start && /^\s*$/.test(source.slice(end, start)));
    const line = source.slice(0, statement.start).split("\n").length;
    const names =
      declaration.type === "VariableDeclaration"
        ? declaration.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []))
        : "id" in declaration && declaration.id?.type === "Identifier"
          ? [declaration.id.name]
          : [];
    return names.map((name) => ({ file, name, line, documented: isDocumented }));
  });
}

const folderOf = (file: string): string => file.slice(0, file.lastIndexOf("/"));
