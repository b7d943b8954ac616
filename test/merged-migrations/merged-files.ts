import type { CatalogSchema } from "./read-schema.js";
import { foreignKeyStatement, functionStatements, type RoleNames, tableStatements } from "./schema-statements.js";

const maxLines = 300;

/** A merged migration that is to be written. */
export interface MergedContent {
  readonly schema: string;
  readonly content: CatalogSchema;
  readonly roles: RoleNames;
  /** The replaced migrations' names, in their order. */
  readonly replaced: readonly string[];
  /** The folder in `src` that owns a table, with the folders below it: `people/users`. */
  readonly ownerOf: (table: string) => string;
}

/** A file with one room's statements, as groups that stand together. */
interface Room {
  readonly name: string;
  readonly groups: string[][];
}

/** A merged migration's files by their names. */
export function mergedFiles(content: MergedContent): Map<string, string> {
  const rooms = roomsOf(content);
  const files = new Map<string, string>();
  for (const { name, groups } of rooms) files.set(`${name}.ts`, roomText(name, groups));
  files.set("merged-migration.ts", migrationText(content, rooms));
  for (const [file, text] of files)
    if (text.split("\n").length > maxLines)
      throw new Error(`${content.schema}: ${file} has more than ${maxLines} lines`);
  return files;
}

/** The rooms, ordered by their oldest tables. A function stands with the last table that its text names. */
function roomsOf({ schema, content, roles, ownerOf }: MergedContent): Room[] {
  const { tables, functions, foreignKeys } = content;
  const rooms: Room[] = [];
  const roomOf = (table: string): Room => {
    const name = ownerOf(table);
    const room = rooms.find((present) => present.name === name) ?? { name, groups: [] };
    if (!rooms.includes(room)) rooms.push(room);
    return room;
  };
  for (const table of tables) {
    const calls = functions.filter(({ name }) =>
      table.triggers.some(({ definition }) => definition.includes(`${schema}.${name}(`)),
    );
    const { groups } = roomOf(table.name);
    groups.push(
      ...calls.map((signature) => functionStatements(signature, roles)),
      tableStatements(schema, table, roles),
    );
  }
  for (const routine of functions) {
    if (
      tables.some(({ triggers }) =>
        triggers.some(({ definition }) => definition.includes(`${schema}.${routine.name}(`)),
      )
    )
      continue;
    const lastTable = tables.findLast(({ name }) => new RegExp(`\\b${name}\\b`).test(routine.definition));
    roomOf(lastTable?.name ?? "").groups.push(functionStatements(routine, roles));
  }
  if (foreignKeys.length > 0) rooms.push({ name: "foreign-keys", groups: [foreignKeys.map(foreignKeyStatement)] });
  return rooms;
}

const constant = (room: string): string => room.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const template = (sql: string): string =>
  `\`${sql.replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("${", "\\${")}\``;

function roomText(name: string, groups: readonly string[][]): string {
  const statements = groups.map((group) => group.map((sql) => `  ${template(sql)},\n`).join("")).join("\n");
  return `// Written by \`npm run merge-migrations\`.\n\nexport const ${constant(name)} = [\n${statements}];\n`;
}

function migrationText({ schema, replaced }: MergedContent, rooms: readonly Room[]): string {
  const newest = replaced
    .map((name) => name.replace(/^Migration(\d+)_.*$/, "$1"))
    .toSorted()
    .at(-1);
  const imports = rooms.map(({ name }) => `import { ${constant(name)} } from "./${name}.js";\n`).toSorted();
  return `// Written by \`npm run merge-migrations\`.

import type { MergedMigration } from "@factory/runtime/unit-of-work/merged-migration";
${imports.join("")}
/** The tables of the ${schema} as the replaced migrations make them. */
export const mergedMigration: MergedMigration = {
  name: "Merged${newest}",
  replaces: [
${replaced.map((name) => `    "${name}",\n`).join("")}  ],
  statements: [
${rooms.map(({ name }) => `    ...${constant(name)},\n`).join("")}  ],
};
`;
}
