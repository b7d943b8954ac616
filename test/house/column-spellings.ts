import { readFile } from "node:fs/promises";
import { parseSync, type TSTypeLiteral, Visitor } from "oxc-parser";
import { isForTests, root, trackedFiles } from "./tracked-files.js";

/** A place where an entity's columns are spelled a second time. */
export interface Spelling {
  readonly file: string;
  readonly line: number;
  readonly entity: string;
}

/** So many columns of one entity are no accident. */
const fewestColumns = 4;

const columnName = (member: string) => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The columns of the entities that a file declares, by class name. */
export function entityColumns(file: string, source: string): Map<string, ReadonlySet<string>> {
  const entities = new Map<string, ReadonlySet<string>>();
  new Visitor({
    ClassDeclaration({ id, decorators, body }) {
      const isEntity = decorators.some(
        ({ expression }) =>
          expression.type === "CallExpression" &&
          expression.callee.type === "Identifier" &&
          expression.callee.name === "Entity",
      );
      if (!isEntity || !id) return;
      const members = body.body.flatMap((member) =>
        member.type === "PropertyDefinition" && member.key.type === "Identifier" && !member.computed
          ? [columnName(member.key.name)]
          : [],
      );
      entities.set(id.name, new Set(members));
    },
  }).visit(parseSync(file, source).program);
  return entities;
}

type Members = TSTypeLiteral["members"];

/** Row types and column lists that follow no entity although one has all their columns. */
export function secondSpellings(
  file: string,
  source: string,
  entities: ReadonlyMap<string, ReadonlySet<string>>,
): Spelling[] {
  const spellings: Spelling[] = [];
  const check = (names: readonly string[], start: number) => {
    if (names.length < fewestColumns || !names.some((name) => name.includes("_"))) return;
    const entity = [...entities].find(([, columns]) => names.every((name) => columns.has(name)));
    if (entity) spellings.push({ file, line: source.slice(0, start).split("\n").length, entity: entity[0] });
  };
  const namesOf = (members: Members) =>
    members.flatMap((member) =>
      member.type === "TSPropertySignature" && member.key.type === "Identifier" ? [member.key.name] : [],
    );
  const checkText = (text: string, start: number) => {
    if (/^\s*[a-z_]+(?:,\s*[a-z_]+)+\s*$/.test(text)) check(text.trim().split(/,\s*/), start);
  };
  new Visitor({
    TSInterfaceDeclaration: ({ body, start }) => check(namesOf(body.body), start),
    TSTypeLiteral: ({ members, start }) => check(namesOf(members), start),
    Literal: ({ value, start }) => {
      if (typeof value === "string") checkText(value, start);
    },
    TemplateLiteral: ({ quasis, start }) => {
      if (quasis.length === 1) checkText(quasis[0]?.value.raw ?? "", start);
    },
  }).visit(parseSync(file, source).program);
  return spellings;
}

/** A statement over other slices' tables. Its slice may stand below their entities, which it must not import. */
const ofOtherSlices = /^\/\/ tables:/m;

/** The second spellings in each subgraph. A statement that writes rows names its columns, and is not one. */
export async function allSecondSpellings(): Promise<{ entities: number; spellings: Spelling[] }> {
  const all = { entities: 0, spellings: [] as Spelling[] };
  for (const subgraph of ["catalog", "integration", "spine"]) {
    const sources = await sourcesOf(subgraph);
    const entityFiles = sources.filter(([file]) => file.endsWith(".entity.ts"));
    const entities = new Map(entityFiles.flatMap(([file, source]) => [...entityColumns(file, source)]));
    all.entities += entities.size;
    all.spellings.push(...sources.flatMap(([file, source]) => secondSpellings(file, source, entities)));
  }
  return all;
}

/** The sources with a name that may be a column. */
async function sourcesOf(subgraph: string): Promise<(readonly [file: string, source: string])[]> {
  const files = trackedFiles().filter(
    (file) =>
      file.startsWith(`subgraphs/${subgraph}/src/`) &&
      file.endsWith(".ts") &&
      !isForTests(file) &&
      !file.includes("/migrations/"),
  );
  const sources = await Promise.all(files.map(async (file) => [file, await readFile(root + file, "utf8")] as const));
  return sources.filter(
    ([file, source]) => file.endsWith(".entity.ts") || (/\b[a-z]+_[a-z]/.test(source) && !ofOtherSlices.test(source)),
  );
}
