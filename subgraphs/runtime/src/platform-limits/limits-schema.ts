import type { RetentionRule } from "../db/retention.js";

/**
 * The counts that all the platform's processes share, for a worker group. They are unlogged: a server crash loses them,
 * and the processes report their part again.
 */
export const limitsSchema = (group: string): string[] => [
  "create schema if not exists limits",
  `create unlogged table if not exists limits.processes (
     id text primary key,
     seen_at timestamptz not null)`,
  `create unlogged table if not exists limits.budgets (
     key text primary key,
     ends_at timestamptz not null,
     quota bigint not null,
     holders jsonb not null) with (fillfactor = 50)`,
  "create index if not exists budgets_ends_at on limits.budgets (ends_at)",
  `create unlogged table if not exists limits.sockets (
     principal text primary key,
     changed_at timestamptz not null,
     holders jsonb not null) with (fillfactor = 50)`,
  "create index if not exists sockets_changed_at on limits.sockets (changed_at)",
  `create unlogged table if not exists limits.failures (
     key text primary key,
     ends_at timestamptz not null,
     failures int not null,
     pending int not null) with (fillfactor = 50)`,
  "create index if not exists failures_ends_at on limits.failures (ends_at)",
  `grant usage on schema limits to ${group}`,
  `grant select, insert, update, delete on all tables in schema limits to ${group}`,
];

/** A process that was not seen for so long does not run any more. */
export const processLifetime = "15 seconds";

/** The retention rules for the shared counts. */
export const limitsRetention: readonly RetentionRule[] = [
  { table: "limits.budgets", expired: "ends_at < now()", order: "ends_at" },
  { table: "limits.failures", expired: "ends_at < now()", order: "ends_at" },
  { table: "limits.processes", expired: "seen_at < now() - interval '1 hour'" },
  {
    table: "limits.sockets",
    expired: `changed_at < now() - interval '1 minute' and not exists (
      select from jsonb_each(holders) holder(id, counts) join limits.processes using (id) where (counts->>'open')::int > 0)`,
    order: "changed_at",
  },
];
