import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MikroORM } from "@mikro-orm/postgresql";
import { type DatabaseDefinition, ormOptions } from "./database.js";

export interface WrittenMigration {
  readonly file: string;
  readonly code: string;
}

/** Compares the entities with a migrated database and writes what is missing as a migration; undefined: they agree. */
export async function writeMigration(
  definition: DatabaseDefinition,
  folder: string,
  name: string,
): Promise<WrittenMigration | undefined> {
  const options = ormOptions(definition, definition.connections.owner);
  const orm = await MikroORM.init({
    ...options,
    migrations: {
      ...options.migrations,
      path: folder,
      emit: "ts",
      fileName: (timestamp: string) => `Migration${timestamp}_${name}`,
    },
  });
  try {
    const { fileName, code } = await orm.migrator.create(folder, false, false, name);
    if (fileName === "") return undefined;
    const file = join(folder, fileName);
    // the schema itself belongs to `provisionDatabase`: the owner may not create one
    const own = code.replace(/^.*(create|drop) schema if .*\n\n?/gm, "");
    await writeFile(file, own);
    return { file, code: own };
  } finally {
    await orm.close(true);
  }
}

/** The statements that would make the database fit the entities; empty when migrations and entities agree. */
export async function schemaDrift(definition: DatabaseDefinition): Promise<string> {
  const orm = await MikroORM.init(ormOptions(definition, definition.connections.owner));
  try {
    return await orm.schema.getUpdateSchemaSQL({ schema: definition.connections.schema, wrap: false });
  } finally {
    await orm.close(true);
  }
}
