import type { Client } from "pg";
import { to as copyTo } from "pg-copy-streams";
import { administrator } from "../installation/administrator.js";
import { installedLevel, installedSchemas } from "./installed-schemas-statement.js";
import { RowCount } from "./row-count.js";
import type { BackupFolder } from "./sealed-folder/backup-folder.js";
import { BackupProblem } from "./sealed-folder/backup-problem.js";
import type { Manifest, SequenceCopy, TableCopy } from "./sealed-folder/manifest.js";
import type { Progress } from "./sealed-folder/progress.js";
import { columnList, copiedSequences, copiedTables, qualified, type TableFacts } from "./table-list-statement.js";

const lanes = 2;

type DatabaseCopy = Pick<Manifest, "level" | "schemas" | "tables" | "sequences">;

/** Copies all tables as they are at one moment, beside running traffic. */
export async function copyDatabase(url: string, folder: BackupFolder, progress: Progress): Promise<DatabaseCopy> {
  const leader = await administrator(url);
  try {
    const tables = await copiedTables(leader);
    const [level, schemas] = [await installedLevel(leader), await installedSchemas(leader)];
    const snapshot = await freeze(leader, tables);
    const copies = await copyTables({ leader, url, snapshot, tables, folder, progress });
    // Sequences have no snapshot: read after the rows, they are never behind them.
    const sequences = await readSequences(leader);
    return { level, schemas, tables: copies, sequences };
  } finally {
    await leader.end();
  }
}

/**
 * Begins the snapshot that all lanes read. The locks come first: a table that a migration rewrites after the snapshot
 * would look empty in it.
 */
async function freeze(leader: Client, tables: readonly TableFacts[]): Promise<string> {
  await leader.query("begin isolation level repeatable read read only");
  await leader.query(`lock table ${tables.map(qualified).join(", ")} in access share mode`);
  const { rows } = await leader.query<{ id: string }>("select pg_export_snapshot() as id");
  const names = (list: readonly TableFacts[]) => list.map((table) => `${qualified(table)} ${columnList(table)}`).sort();
  if (names(await copiedTables(leader)).join() !== names(tables).join())
    throw new BackupProblem("The tables of the database change just now. Repeat the backup after the upgrade.");
  return rows[0]?.id ?? "";
}

interface Copying {
  readonly leader: Client;
  readonly url: string;
  readonly snapshot: string;
  readonly tables: readonly TableFacts[];
  readonly folder: BackupFolder;
  readonly progress: Progress;
}

async function copyTables({ leader, url, snapshot, tables, folder, progress }: Copying): Promise<TableCopy[]> {
  const waiting = [...tables];
  const copies: TableCopy[] = [];
  const others: Client[] = [];
  const lane = async (client: Client) => {
    for (let table = waiting.shift(); table !== undefined; table = waiting.shift()) {
      progress.step(`table ${tables.length - waiting.length} of ${tables.length}, ${table.schema}.${table.name}`);
      copies.push(await copyTable(client, table, folder));
    }
  };
  try {
    for (let count = 1; count < lanes; count += 1) {
      const client = await administrator(url);
      others.push(client);
      await client.query("begin isolation level repeatable read read only");
      await client.query(`set transaction snapshot '${snapshot}'`);
    }
    const outcomes = await Promise.allSettled(
      [leader, ...others].map((client) => lane(client).catch(stopOthers(waiting))),
    );
    for (const result of outcomes) if (result.status === "rejected") throw result.reason;
    return copies;
  } finally {
    for (const client of others) await client.end();
  }
}

/** After a failure in one lane, the others begin no other table. */
const stopOthers = (waiting: TableFacts[]) => (error: unknown) => {
  waiting.length = 0;
  throw error;
};

async function copyTable(client: Client, table: TableFacts, folder: BackupFolder): Promise<TableCopy> {
  const { schema, name, columns } = table;
  const source = client.query(copyTo(`copy ${qualified(table)} (${columnList(table)}) to stdout`));
  const rowCount = new RowCount();
  const part = await folder.write(`table-${schema}.${name}`, source, rowCount);
  // The row count comes after the last row, so another statement waits for it.
  await client.query("select");
  if (source.rowCount !== rowCount.rows)
    throw new BackupProblem(`${schema}.${name} has ${source.rowCount} rows, but ${rowCount.rows} were copied.`);
  return { schema, name, columns: [...columns], rows: rowCount.rows, part };
}

async function readSequences(client: Client): Promise<SequenceCopy[]> {
  const sequences: SequenceCopy[] = [];
  for (const sequence of await copiedSequences(client)) {
    const { rows } = await client.query<{ value: string; used: boolean }>(
      `select last_value::text as value, is_called as used from ${qualified(sequence)}`,
    );
    const [state] = rows;
    if (state !== undefined) sequences.push({ ...sequence, ...state });
  }
  return sequences;
}
