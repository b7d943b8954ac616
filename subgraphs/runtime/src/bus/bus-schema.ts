import { identifier } from "../connections/database-roles.js";

const tenantOf = (envelope: string) => `coalesce(${envelope}->>'tenantid', '')`;

const partitionKeyOf = (envelope: string) => `left(coalesce(${envelope}->>'partitionkey', ''), 500)`;

/**
 * A message's ordering key as columns in `bus.held`. Long keys with the same first 500 characters share an order, which
 * is stricter than necessary but correct.
 */
export const keyColumns = (envelope: string): string =>
  `${tenantOf(envelope)} as tenant, ${partitionKeyOf(envelope)} as partition_key`;

/** The statements for the bus tables. Only worker roles may use them. */
export const busSchema = (workerGroup: string): string[] => [
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
  `create table if not exists bus.turns (
     name text primary key,
     holder uuid not null,
     locked boolean not null,
     session int not null,
     lapses_at timestamptz not null)`,
  "create index if not exists dead_letters_created_at on bus.dead_letters (created_at)",
  // Tables from earlier releases have jsonb, which does not keep a number's text.
  ...["messages", "held", "dead_letters"].map(
    (table) => `do $$ begin
      if exists (select from pg_attribute
        where attrelid = 'bus.${table}'::regclass and attname = 'envelope' and atttypid = 'jsonb'::regtype) then
        alter table bus.${table} alter column envelope type json using envelope::json;
      end if; end $$`,
  ),
  // Every group reads these members in each message. They are taken from its text once, when it is published.
  `do $$ begin
    if not exists (select from pg_attribute
      where attrelid = 'bus.messages'::regclass and attname = 'partition_key' and not attisdropped) then
      alter table bus.messages
        add column kind text generated always as (envelope->>'messagekind') stored,
        add column tenant text generated always as (${tenantOf("envelope")}) stored,
        add column partition_key text generated always as (${partitionKeyOf("envelope")}) stored;
    end if; end $$`,
  `grant usage on schema bus to ${identifier(workerGroup)}`,
  `grant select, insert, update, delete on all tables in schema bus to ${identifier(workerGroup)}`,
  `grant usage on all sequences in schema bus to ${identifier(workerGroup)}`,
];
