import type { IdPrefix } from "@factory/schema/id-prefixes";
import { MetadataStorage } from "@mikro-orm/core";
import { encodeId } from "../identifiers/wire-id.js";
import { WireIdType } from "./wire-id-type.js";

type Class<E> = abstract new (...args: never[]) => E;
type Members<E> = keyof E & string;

/** `createdAt` becomes `created_at`. */
type ColumnName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnName<Rest>}`
  : Name;

/** In a transaction, times are text. */
type ColumnValue<Value> = Value extends Date ? Date | string : Value;

/** A row in the entity's table as PostgreSQL returns it, with UUIDs for ids; or only the columns for some members. */
export type RowOf<E, Name extends Members<E> = Members<E>> = {
  -readonly [Key in Name as ColumnName<Key>]-?: ColumnValue<Exclude<E[Key], undefined>>;
};

/** An entity's members that a statement has read. No unit of work writes them. */
export type RecordOf<E, Name extends Members<E> = Members<E>> = {
  readonly [Key in Name]-?: Exclude<E[Key], undefined>;
};

/** The same members with times as ISO 8601, as they are sent. */
export type SentRecordOf<E, Name extends Members<E> = Members<E>> = {
  readonly [Key in Name]-?: SentValue<Exclude<E[Key], undefined>>;
};

type SentValue<Value> = Value extends Date ? string : Value;

interface Column {
  readonly member: string;
  readonly name: string;
  /** The prefix of an id. */
  readonly prefix: IdPrefix | undefined;
  readonly isTime: boolean;
}

const columnsByEntity = new Map<Class<unknown>, readonly Column[]>();

/**
 * The columns in an entity's table, for the list after `select`: all, or those for some members. `table` stands before
 * each name.
 */
export function columnsOf<E>(entity: Class<E>, members?: readonly Members<E>[], table?: string): string {
  const prefix = table === undefined ? "" : `${table}.`;
  const columns = columnsFor(entity).filter(({ member }) => members?.includes(member as Members<E>) ?? true);
  return columns.map(({ name }) => prefix + name).join(", ");
}

/** A function that reads a row, or a part of it: ids with their prefixes, times as dates. Other columns are left out. */
export function rowReader<E>(entity: Class<E>) {
  const read = compiledReader(columnsFor(entity), "new Date(value)");
  return <Row extends Partial<RowOf<E>>>(row: Row) => read(row) as RecordOf<E, MembersOf<E, Row>>;
}

/** The same with times as ISO 8601. */
export function sentRowReader<E>(entity: Class<E>) {
  const read = compiledReader(columnsFor(entity), "new Date(value).toISOString()");
  return <Row extends Partial<RowOf<E>>>(row: Row) => read(row) as SentRecordOf<E, MembersOf<E, Row>>;
}

/**
 * One assignment for each column, with names that the engine sees. A loop over the names takes twice as long, and lists
 * read thousands of rows in a second.
 */
function compiledReader(columns: readonly Column[], time: string): (row: object) => unknown {
  const assignments = columns.map(({ member, name, prefix, isTime }) => {
    const converted = prefix === undefined ? (isTime ? time : "value") : `encodeId(${JSON.stringify(prefix)}, value)`;
    return `value = row.${name}; if (value !== undefined) record.${member} = value === null ? null : ${converted};`;
  });
  const source = `return (row) => { const record = {}; let value; ${assignments.join(" ")} return record; };`;
  // oxlint-disable-next-line typescript/no-implied-eval -- the text consists of names from the entity's own class
  return new Function("encodeId", source)(encodeId) as (row: object) => unknown;
}

/** The members whose columns a row has. */
type MembersOf<E, Row> = { [Name in Members<E>]: ColumnName<Name> extends keyof Row ? Name : never }[Members<E>];

function columnsFor(entity: Class<unknown>): readonly Column[] {
  const columns = columnsByEntity.get(entity) ?? readColumns(entity);
  columnsByEntity.set(entity, columns);
  return columns;
}

function readColumns(entity: Class<unknown>): readonly Column[] {
  const metadata = Object.values(MetadataStorage.getMetadata()).find((candidate) => candidate.class === entity);
  if (!metadata) throw new Error(`${entity.name} is not an entity.`);
  return Object.values(metadata.properties).map(({ name, type }: { name: string; type: unknown }) => ({
    member: name,
    name: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    prefix: type instanceof WireIdType ? type.prefix : undefined,
    isTime: type === "timestamptz" || type === "Date",
  }));
}
