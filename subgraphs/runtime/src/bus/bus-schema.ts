import { workerGroup } from "../db/tenant-table.js";

/** Tables of the PostgreSQL bus driver; open to workers, closed to everybody else. */
export const busSchema = [
  "create schema if not exists bus",
  `create table if not exists bus.messages (
     position bigint generated always as identity primary key,
     event_id text not null unique,
     type text not null,
     envelope jsonb not null,
     published_at timestamptz not null default now())`,
  "create index if not exists messages_published_at on bus.messages (published_at)",
  `create table if not exists bus.consumers (
     name text primary key,
     position bigint not null,
     updated_at timestamptz not null default now())`,
  `create table if not exists bus.dead_letters (
     consumer text not null,
     position bigint not null,
     envelope jsonb not null,
     error text not null,
     created_at timestamptz not null default now(),
     primary key (consumer, position))`,
  `grant usage on schema bus to ${workerGroup}`,
  `grant select, insert, update, delete on all tables in schema bus to ${workerGroup}`,
  `grant usage on all sequences in schema bus to ${workerGroup}`,
];
