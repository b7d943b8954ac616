import { workerGroup } from "../db/tenant-table.js";

/** The tables of the bus. Only worker roles may use them. */
export const busSchema = [
  "create schema if not exists bus",
  `create table if not exists bus.messages (
     position bigint generated always as identity primary key,
     event_id text not null unique,
     type text not null,
     envelope json not null,
     published_at timestamptz not null default now())`,
  "create index if not exists messages_published_at on bus.messages (published_at)",
  `create table if not exists bus.consumers (
     name text primary key,
     position bigint not null,
     updated_at timestamptz not null default now())`,
  `create table if not exists bus.held (
     consumer text not null,
     position bigint not null,
     tenant text not null,
     partition_key text not null,
     envelope json not null,
     attempts int not null,
     not_before timestamptz not null,
     error text,
     held_at timestamptz not null default now(),
     primary key (consumer, position))`,
  "create index if not exists held_keys on bus.held (consumer, tenant, partition_key, position)",
  `create table if not exists bus.dead_letters (
     consumer text not null,
     position bigint not null,
     envelope json not null,
     error text not null,
     created_at timestamptz not null default now(),
     primary key (consumer, position))`,
  "create index if not exists dead_letters_created_at on bus.dead_letters (created_at)",
  // Tables of earlier releases have jsonb, which does not keep the text of numbers.
  ...["messages", "held", "dead_letters"].map(
    (table) => `do $$ begin
      if exists (select from pg_attribute
        where attrelid = 'bus.${table}'::regclass and attname = 'envelope' and atttypid = 'jsonb'::regtype) then
        alter table bus.${table} alter column envelope type json using envelope::json;
      end if; end $$`,
  ),
  `grant usage on schema bus to ${workerGroup}`,
  `grant select, insert, update, delete on all tables in schema bus to ${workerGroup}`,
  `grant usage on all sequences in schema bus to ${workerGroup}`,
];

/**
 * The ordering key of a message as columns of `bus.held`. Long keys with the same first 500 characters share an order,
 * which is stricter than necessary but correct.
 */
export const keyColumns = (envelope: string) =>
  `coalesce(${envelope}->>'tenantid', '') as tenant, left(coalesce(${envelope}->>'partitionkey', ''), 500) as partition_key`;
