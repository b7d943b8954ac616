import type { Client } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { detachForeignKeys } from "./foreign-keys.js";
import type { BackupFolder } from "./sealed-folder/backup-folder.js";
import { BackupProblem } from "./sealed-folder/backup-problem.js";
import type { Manifest, TableCopy } from "./sealed-folder/manifest.js";
import type { Progress } from "./sealed-folder/progress.js";
import { columnList, copiedTables, qualified } from "./table-list-statement.js";

/** Tables with rows. A target must have none. */
export async function filledTables(client: Client): Promise<string[]> {
  const filledNames: string[] = [];
  for (const table of await copiedTables(client)) {
    const { rows } = await client.query<{ filled: boolean }>(
      `select exists (select from ${qualified(table)}) as filled`,
    );
    if (rows[0]?.filled) filledNames.push(`${table.schema}.${table.name}`);
  }
  return filledNames;
}

/** Fills the empty tables in one transaction: after a failure they are empty again. */
export async function restoreDatabase(
  client: Client,
  { tables, sequences }: Manifest,
  folder: BackupFolder,
  progress: Progress,
): Promise<void> {
  const present = new Set((await copiedTables(client)).map(qualified));
  const missing = tables.filter((table) => !present.has(qualified(table)));
  if (missing[0]) throw new BackupProblem(`This release has no table ${missing[0].schema}.${missing[0].name}.`);
  await client.query("begin");
  const attach = await detachForeignKeys(client);
  const [filledTable] = await filledTables(client);
  if (filledTable !== undefined) throw new BackupProblem(`${filledTable} has rows: another process uses the database.`);
  for (const [at, table] of tables.entries()) {
    progress.step(`table ${at + 1} of ${tables.length}, ${table.schema}.${table.name}`);
    await restoreTable(client, table, folder);
  }
  for (const { schema, name, value, used } of sequences)
    await client.query("select setval($1, $2, $3)", [qualified({ schema, name }), value, used]);
  progress.begin("Checking the references between the tables");
  await attach(progress);
  await client.query("commit");
  for (const table of tables) {
    progress.step(`statistics of ${table.schema}.${table.name}`);
    await client.query(`analyze ${qualified(table)}`);
  }
}

async function restoreTable(client: Client, table: TableCopy, folder: BackupFolder): Promise<void> {
  await client.query(`alter table ${qualified(table)} disable trigger user`);
  const target = client.query(copyFrom(`copy ${qualified(table)} (${columnList(table)}) from stdin`));
  await folder.read(table.part, target);
  if (target.rowCount !== table.rows)
    throw new BackupProblem(`${table.schema}.${table.name} got ${target.rowCount} rows and not ${table.rows}.`);
  await client.query(`alter table ${qualified(table)} enable trigger user`);
}
