import type { ClientBase } from "pg";
import { EnvironmentError } from "../environment/read-environment.js";

/** The facts about its data that a release tells others. */
export interface ReleaseLevel {
  /** A number that rises with each change of the schema. */
  readonly level: number;
  /** Processes of releases from this level on may run beside this release, and may be started again. */
  readonly lowestCompanion: number;
}

/**
 * Changes that the number of migrations does not show: migrations that were merged into one, and other
 * statements in this folder, in the bus or in the jobs.
 */
export const uncountedChanges = 3;

/** Releases before the first level count as level 0. */
export const thisRelease: ReleaseLevel = { level: 135, lowestCompanion: 0 };

/** The level of the data, and the processes that run on them with the level of their release, for a group of workers. */
export const levelTables = (group: string): string[] => [
  "create schema if not exists releases",
  `create table if not exists releases.data (
     single boolean primary key default true check (single),
     level int not null,
     lowest_level int not null,
     raised_at timestamptz not null default now())`,
  `create table if not exists releases.processes (
     process_id uuid primary key,
     level int not null,
     started_at timestamptz not null default now(),
     beat_at timestamptz not null default now())`,
  "alter table releases.processes add column if not exists public_url text",
  `grant usage on schema releases to ${group}`,
  `grant select on releases.data to ${group}`,
  `grant select, insert, update, delete on releases.processes to ${group}`,
];

/** A release before the newest one does not lower the level. */
export const raiseLevel = ({ level, lowestCompanion }: ReleaseLevel): string =>
  `insert into releases.data as data (level, lowest_level) values (${level}, ${lowestCompanion})
   on conflict (single) do update set level = greatest(data.level, excluded.level),
     lowest_level = greatest(data.lowest_level, excluded.lowest_level), raised_at = now()
   where data.level < excluded.level or data.lowest_level < excluded.lowest_level`;

/** Throws EnvironmentError when the data are too new for this release. Writes nothing. */
export async function refuseNewerData(client: ClientBase, { level }: ReleaseLevel): Promise<void> {
  const present = await client.query("select where to_regclass('releases.data') is not null");
  if (present.rowCount === 0) return;
  const { rows } = await client.query<DataLevel>('select level, lowest_level as "lowestLevel" from releases.data');
  const [data] = rows;
  if (data && data.lowestLevel > level) throw new EnvironmentError(tooNew(data, level));
}

interface DataLevel {
  readonly level: number;
  readonly lowestLevel: number;
}

const tooNew = (data: DataLevel, level: number): string =>
  `The data in the database have schema level ${data.level} and need a release of level ${data.lowestLevel} or newer. ` +
  `This release has level ${level}: start a newer release, or restore a backup from before the upgrade.`;

/** The sentence about this release after another process has raised the level. */
export const shutOut = (lowestLevel: number, { level }: ReleaseLevel): string =>
  `The data in the database now need a release of level ${lowestLevel} or newer, and this release has level ${level}.`;
