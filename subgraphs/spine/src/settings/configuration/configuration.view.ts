import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import type { ConfigEntryType, ConfigVersionType } from "./configuration.type.js";
import { ConfigurationEntry } from "./configuration-entry.entity.js";
import { mask } from "./configuration-value.js";
import { ConfigurationVersion } from "./configuration-version.entity.js";

type ShownOfEntry = "key" | "isSecret" | "description" | "version" | "createdAt" | "updatedAt" | "updatedBy";

const versionMembers = ["version", "change", "isSecret", "description", "changedAt", "changedBy"] as const;

/** The columns in `VersionRow`. */
export const entryVersionColumns = `${columnsOf(ConfigurationVersion, versionMembers)}, value::text as value`;

/** The value is JSON text; null for a secret entry. */
interface StoredText {
  readonly value: string | null;
}

/** An entry as the statements in this slice return it. */
export type EntryRow = RowOf<ConfigurationEntry, ShownOfEntry> & StoredText & { read_only: boolean };

/** A version as the statements in this slice return it. */
export type VersionRow = RowOf<ConfigurationVersion, (typeof versionMembers)[number]> & StoredText;

const readEntry = rowReader(ConfigurationEntry);
const readVersion = rowReader(ConfigurationVersion);

const shownValue = (value: string | null, isSecret: boolean): unknown => {
  if (isSecret) return mask;
  return value === null ? null : parseForeignJson(value);
};

/** An entry's fields as a plain object, which can be spread. */
type EntryFacts = { [Name in keyof ConfigEntryType]: ConfigEntryType[Name] };

export const entryView = (
  entry: RecordOf<ConfigurationEntry, ShownOfEntry> & StoredText & { readonly readOnly: boolean },
): EntryFacts => ({
  key: entry.key,
  value: shownValue(entry.value, entry.isSecret),
  isSecret: entry.isSecret,
  readOnly: entry.readOnly,
  description: entry.description,
  version: entry.version,
  createdAt: entry.createdAt.toISOString(),
  updatedAt: entry.updatedAt.toISOString(),
  updatedBy: entry.updatedBy,
});

export const entryRowView = (row: EntryRow): EntryFacts =>
  entryView({ ...readEntry(row), value: row.value, readOnly: row.read_only });

export function versionRowView(row: VersionRow): ConfigVersionType {
  const { version, change, isSecret, description, changedAt, changedBy } = readVersion(row);
  const value = change === "Deleted" ? null : shownValue(row.value, isSecret);
  return { version, change, value, isSecret, description, changedAt: changedAt.toISOString(), changedBy };
}
