import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import type { ConfigEntryType, ConfigurationChange, ConfigVersionType } from "./configuration.type.js";
import { mask } from "./configuration-value.js";

/** An entry as the statements of this slice return it. */
export interface EntryRow {
  key: string;
  /** JSON text; null for a secret entry. */
  value: string | null;
  is_secret: boolean;
  read_only: boolean;
  description: string | null;
  version: number;
  created_at: Date | string;
  updated_at: Date | string;
  updated_by: string;
}

/** A version of an entry as the statements of this slice return it. */
export interface VersionRow {
  version: number;
  change: ConfigurationChange;
  value: string | null;
  is_secret: boolean;
  description: string | null;
  changed_at: Date | string;
  changed_by: string;
}

const isoTime = (time: Date | string) => new Date(time).toISOString();

const shownValue = (value: string | null, isSecret: boolean): unknown => {
  if (isSecret) return mask;
  return value === null ? null : parseForeignJson(value);
};

/** The fields of an entry as a plain object, which can be spread. */
type EntryFacts = { [Name in keyof ConfigEntryType]: ConfigEntryType[Name] };

export const entryView = (row: EntryRow): EntryFacts => ({
  key: row.key,
  value: shownValue(row.value, row.is_secret),
  isSecret: row.is_secret,
  readOnly: row.read_only,
  description: row.description,
  version: row.version,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
  updatedBy: row.updated_by,
});

export const versionView = (row: VersionRow): ConfigVersionType => ({
  version: row.version,
  change: row.change,
  value: row.change === "Deleted" ? null : shownValue(row.value, row.is_secret),
  isSecret: row.is_secret,
  description: row.description,
  changedAt: isoTime(row.changed_at),
  changedBy: row.changed_by,
});
