import type { Client } from "pg";

/** A table whose rows belong into a backup. */
export interface TableFacts {
  readonly schema: string;
  readonly name: string;
  /** Without generated columns. */
  readonly columns: readonly string[];
  readonly bytes: number;
}

/**
 * Tables that the target makes itself, or whose rows belong to running processes and not to the data: the bus turns,
 * limit counts, write probes, the secret for the target's roles, its folder marks, pg-boss statistics, which come and
 * go every day, and the table versions.
 */
const leftOut = `n.nspname in ('health', 'releases', 'limits') or (n.nspname = 'installation' and c.relname in ('role_secrets', 'shared_folders')) or (n.nspname = 'bus' and c.relname = 'turns') or c.relname = 'migrations'
  or (n.nspname like '%\\_jobs' and (c.relname in ('version', 'bam') or c.relname like 'queue\\_stats\\_%'))`;

/** Every schema except PostgreSQL's own, so that a backup also has the schemas that a later release adds. */
export const ours = "n.nspname not like 'pg\\_%' and n.nspname not in ('information_schema', 'public')";

/** The tables to copy, the largest first. Partitioned tables are copied by their partitions. */
export async function copiedTables(client: Client): Promise<TableFacts[]> {
  const { rows } = await client.query<TableFacts>(
    `select n.nspname as schema, c.relname as name, pg_table_size(c.oid)::float8 as bytes,
       array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0
         and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and ${ours} and not (${leftOut})
     order by bytes desc, schema, name`,
  );
  return rows;
}

interface SequenceFacts {
  readonly schema: string;
  readonly name: string;
}

/** The copied tables' sequences. */
export async function copiedSequences(client: Client): Promise<SequenceFacts[]> {
  const { rows } = await client.query<SequenceFacts>(
    `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'S' and ${ours} and c.relname <> 'migrations_id_seq' order by 1, 2`,
  );
  return rows;
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

export const qualified = ({ schema, name }: { schema: string; name: string }): string =>
  `${quote(schema)}.${quote(name)}`;

export const columnList = ({ columns }: { columns: readonly string[] }): string => columns.map(quote).join(", ");
