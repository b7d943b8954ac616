import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MikroORM, PostgreSqlSchemaHelper } from "@mikro-orm/postgresql";
import { type SchemaRoles, workerGroup } from "../connections/database-roles.js";
import { addForeignKeys, type ForeignKeyDrift, foreignKeyDrift } from "../db/table-references.js";
import { type DatabaseDefinition, ormOptions } from "./database.js";

interface WrittenMigration {
  readonly file: string;
  readonly code: string;
}

/**
 * Compares entities and foreign keys with a migrated database, writes a migration for the difference, and adds it to the
 * folder's `migrations.ts`; undefined without a difference.
 */
export async function writeMigration(
  definition: DatabaseDefinition,
  folder: string,
  name: string,
): Promise<WrittenMigration | undefined> {
  const { roles, owner } = definition.connections;
  const options = ormOptions(definition, owner);
  const migrations = {
    ...options.migrations,
    path: folder,
    emit: "ts",
    fileName: (timestamp: string) => `Migration${timestamp}_${name}`,
  } as const;
  const orm = await openComparison({ ...options, migrations }, roles);
  try {
    const drift = await foreignKeyDrift(definition.connections, definition.references ?? {});
    const keysDiffer = Object.keys(drift.missing).length + drift.surplus.length > 0;
    // Tables come first. Their foreign keys are a separate migration without a transaction.
    const isForKeys = keysDiffer && (await entityDrift(orm, definition)) === "";
    const { fileName, code } = await orm.migrator.create(folder, isForKeys, false, name);
    if (fileName === "") return undefined;
    const file = join(folder, fileName);
    // `provisionDatabase` creates the schema; the owner may not.
    const own = code.replace(/^.*(create|drop) schema if .*\n\n?/gm, "");
    const whole = isForKeys ? withKeys(own, definition.connections.schema, drift) : withoutUnchangedFunctions(own);
    await writeFile(file, whole);
    const list = join(folder, "migrations.ts");
    await writeFile(list, withListed(await readFile(list, "utf8"), fileName.replace(/\.ts$/, "")));
    return { file, code: whole };
  } finally {
    await orm.close(true);
  }
}

/** A list of migrations with one more at its end. Throws for a text in another form. */
export function withListed(text: string, name: string): string {
  const [, imports, list] = /^((?:import .*\n)*)([^]*)\];\n$/.exec(text) ?? [];
  if (imports === undefined || list === undefined) throw new Error("The list of migrations does not end with `];`.");
  return `${imports}import { ${name} } from "./${name}.js";\n${list}  ${name},\n];\n`;
}

/**
 * A migration without the functions that only its way back changes. The ORM takes each function for a changed one there,
 * since PostgreSQL stores function texts in another form.
 */
export function withoutUnchangedFunctions(code: string): string {
  const [up = "", down = ""] = code.split(/(?=\n {2}override down)/);
  if (up.includes("create or replace function")) return code;
  return up + down.replace(/\n? {4}this\.addSql\(`create or replace function [^`]*`\);\n/g, "");
}

/**
 * The statements that would adapt the database to entities and foreign keys; empty when the migrations are complete.
 */
export async function schemaDrift(definition: DatabaseDefinition): Promise<string> {
  const { connections, references = {} } = definition;
  const orm = await openComparison(ormOptions(definition, connections.owner), connections.roles);
  try {
    const { missing, surplus } = await foreignKeyDrift(connections, references);
    const keys = Object.keys(missing).length === 0 ? [] : addForeignKeys(connections.schema, missing);
    return [await entityDrift(orm, definition), ...surplus, ...keys].filter((sql) => sql !== "").join("\n");
  } finally {
    await orm.close(true);
  }
}

/**
 * Hides foreign keys from the ORM. They are declared beside the entities, so the ORM would drop them. It sees roles by the
 * names that entities and migrations have for them.
 */
async function openComparison(options: ReturnType<typeof ormOptions>, roles: SchemaRoles): Promise<MikroORM> {
  const orm = await MikroORM.init(options);
  const helper = orm.em.getPlatform().getSchemaHelper();
  if (!(helper instanceof PostgreSqlSchemaHelper)) throw new Error("Not the schema helper of PostgreSQL");
  helper.getAllForeignKeys = async () => ({});
  const policiesOf = helper.getAllPolicies.bind(helper);
  helper.getAllPolicies = async (...given) => {
    const tables = await policiesOf(...given);
    for (const policy of Object.values(tables).flatMap(({ policies }) => policies))
      policy.roles = policy.roles.map((role) => (role === roles.workerGroup ? workerGroup : role));
    return tables;
  };
  return orm;
}

const entityDrift = (orm: MikroORM, { connections: { schema } }: DatabaseDefinition): Promise<string> =>
  orm.schema.getUpdateSchemaSQL({ schema, wrap: false });

/** Fills an empty migration with the foreign keys. */
function withKeys(code: string, schema: string, { missing, surplus }: ForeignKeyDrift): string {
  const forEach = (statements: string) => `    for (const sql of ${statements}("${schema}", keys)) this.addSql(sql);\n`;
  const dropped = surplus.map((sql) => `    this.addSql(\`${sql}\`);\n`).join("");
  const fillings = [dropped + forEach("addForeignKeys"), forEach("dropForeignKeys")];
  const keys = `const keys = ${JSON.stringify(missing, null, 2)} as const;`;
  return code
    .replace(/^/, 'import { addForeignKeys, dropForeignKeys } from "@factory/runtime/db/table-references";\n')
    .replace("export class", `${keys}\n\nexport class`)
    .replace("  override up()", "  override isTransactional(): boolean {\n    return false;\n  }\n\n  override up()")
    .replace(/ {4}this\.addSql\(`select 1`\);\n/g, () => fillings.shift() ?? "");
}
