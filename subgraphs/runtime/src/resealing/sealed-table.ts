import type { KeyLabel } from "../sealing/key-labels.js";

/** One row's column values. Primary-key values are texts: UUIDs without a prefix, numbers as digits. */
export type SealedRow = Readonly<Record<string, string>>;

/** A sealed value as it stands in its row's columns. */
export type SealedColumns = readonly (string | Buffer)[];

/**
 * A table whose rows hold values that are sealed under a master key. A module lists its tables in `sealedTables`, and
 * `npm run rewrap` and the work after each start write every value under a former key again. The worker role must see
 * the rows (`sweptTenantTable`, `workerTable` or `workerOnlyTable`).
 */
export interface SealedTable {
  readonly label: KeyLabel;
  readonly table: string;
  /** The primary key in its order, with PostgreSQL types. The key in a tenant's table begins with `tenant_id`. */
  readonly key: Readonly<Record<string, "uuid" | "integer" | "text">>;
  /** The columns that are read and written again, with PostgreSQL types. */
  readonly columns: Readonly<Record<string, "text" | "bytea">>;
  /** An SQL condition: the row holds a sealed value. */
  readonly holds: string;
  /** An SQL condition: the value is not in the form that is written now. `$1` is `newestKeyId`. */
  readonly outdated: string;
  readonly newestKeyId: string;
  /** The columns under the newest key. Throws when the value is damaged or its key is not configured. */
  renewed(row: SealedRow, columns: SealedColumns): Promise<SealedColumns> | SealedColumns;
}

interface TableOfRows {
  readonly label: KeyLabel;
  readonly table: string;
  readonly key: SealedTable["key"];
}

/** A key's id and a data key that this key wraps. */
interface Wrapping {
  readonly keyId: string;
  readonly wrappedKey: Buffer;
}

interface WrappingTable extends TableOfRows {
  /** For example an `EnvelopeSeal`. */
  readonly newestKeyId: string;
  readonly rewrapped: (wrapping: Wrapping, row: SealedRow) => Promise<Wrapping> | Wrapping;
}

/** A table with the columns `key_id` and `wrapped_key` from `EnvelopeSeal`. Only these are written again. */
export function wrappedKeyTable({ label, table, key, newestKeyId, rewrapped }: WrappingTable): SealedTable {
  return {
    label,
    table,
    key,
    columns: { key_id: "text", wrapped_key: "bytea" },
    holds: "wrapped_key is not null",
    outdated: "key_id <> $1",
    newestKeyId,
    async renewed(row, [keyId, wrappedKey]) {
      const wrapping = await rewrapped({ keyId: keyId as string, wrappedKey: wrappedKey as Buffer }, row);
      return [wrapping.keyId, wrapping.wrappedKey];
    },
  };
}

interface TextTable extends TableOfRows {
  readonly column: string;
  readonly newestKeyId: string;
  /** More SQL conditions under which a value is written again: a former form. */
  readonly formerForm?: string;
  readonly resealed: (sealed: string, row: SealedRow) => string;
}

/** A table with one text column whose values begin with `<key id>.`, as `ValueSeal` writes them. */
export function sealedTextTable(parts: TextTable): SealedTable {
  const { label, table, key, column, newestKeyId, formerForm, resealed } = parts;
  const underOtherKey = `split_part(${column}, '.', 1) <> $1`;
  return {
    label,
    table,
    key,
    columns: { [column]: "text" },
    holds: `${column} is not null`,
    outdated: formerForm === undefined ? underOtherKey : `(${underOtherKey} or ${formerForm})`,
    newestKeyId,
    renewed: (row, [sealedValue]) => [resealed(sealedValue as string, row)],
  };
}
