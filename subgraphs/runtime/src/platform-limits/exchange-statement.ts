import { processLifetime } from "./limits-schema.js";

/** The points that a process has spent from one budget. */
export interface BudgetReport {
  readonly key: string;
  readonly limit: number;
  readonly spent: number;
  /** Whether the process needs a share. Otherwise it gives its share back. */
  readonly wants: boolean;
  /** The window to which `spent` belongs; absent where the process does not know one yet. */
  readonly window: string | undefined;
}

/** The rest of one budget. */
export interface BudgetAnswer {
  readonly key: string;
  readonly window: string;
  readonly leftMs: number;
  /** The other processes' points in this window. */
  readonly spentElsewhere: number;
  /** The points that the process may spend beside those that it has reported. */
  readonly share: number;
}

/** One principal's sockets in a process. */
export interface SeatReport {
  readonly principal: string;
  /** Open sockets, which cannot be refused any more. */
  readonly open: number;
  /** Sockets that wait for an answer. */
  readonly wanted: number;
  readonly limit: number;
}

export interface SeatAnswer {
  readonly principal: string;
  readonly openElsewhere: number;
  /** So many wanted sockets may open. */
  readonly granted: number;
}

interface Exchange {
  readonly processId: string;
  readonly windowSeconds: number;
  readonly budgets: readonly BudgetReport[];
  readonly seats: readonly SeatReport[];
}

/** The other processes that are alive, and the answers as JSON. */
export interface ExchangeRow {
  readonly peers: number;
  /** `BudgetAnswer[]` */
  readonly budgets: string;
  /** `SeatAnswer[]` */
  readonly seats: string;
}

const epoch = (time: string) => `extract(epoch from ${time})`;
/** A share that was not renewed for so long lapses, so a killed process keeps it no longer. */
const leaseSeconds = 5;

const aliveOthers = `select id from limits.processes where id <> $1::text and seen_at > now() - interval '${processLifetime}'`;

/** This process's reports are in `excluded.holders`, since an upsert sees only the table's columns. */
const mine = "(excluded.holders -> $1::text)";
const others = (holders: string) => `jsonb_each(${holders}) other(id, counts) where other.id <> $1::text`;

/**
 * One budget window, shared anew. Each process that wants a share gets an equal part of the rest, and never more than
 * nobody else holds. The row is locked, so shares never add up to more than the limit.
 */
const sharedAnew = `(
  select jsonb_build_object($1::text, jsonb_build_object(
    'spent', spent, 'until', ${mine}->'until', 'share', case when (${mine}->>'wants')::boolean then greatest(0, least(
      excluded.quota - spent - elsewhere - held, ceil((excluded.quota - spent - elsewhere) / (1 + active)))) else 0 end))
  from (
    select
      case when ${mine}->>'window' is null or ${mine}->>'window' = ${epoch("budget.ends_at")}::text
        then (${mine}->>'reported')::numeric else 0 end as spent,
      coalesce(sum((counts->>'spent')::numeric), 0) as elsewhere,
      coalesce(sum((counts->>'share')::numeric) filter (where (counts->>'until')::numeric > ${epoch("now()")}), 0) as held,
      count(*) filter (where (counts->>'until')::numeric > ${epoch("now()")}) as active
    from ${others("budget.holders")}) as counted)`;

/**
 * Tells the database that this process is alive, with its counts, and takes new shares. Rows are locked in key order. A
 * new window gives each living process the same share. Open sockets count in any case.
 */
export const exchangeStatement = `
  with seen as (
    insert into limits.processes (id, seen_at) values ($1::text, now())
    on conflict (id) do update set seen_at = now()),
  alive as materialized (select count(*)::int as peers from (${aliveOthers}) as peer),
  budgets as (
    insert into limits.budgets as budget (key, ends_at, quota, holders)
    select key, now() + make_interval(secs => $2), quota, jsonb_build_object($1::text, jsonb_build_object(
      'spent', case when "window" is null then reported else 0 end,
      'share', case when wants then greatest(0, ceil(quota::numeric / (1 + peers))
        - case when "window" is null then reported else 0 end) else 0 end,
      'until', case when wants then ${epoch("now()")} + ${leaseSeconds} else 0 end,
      'reported', reported, 'wants', wants, 'window', "window"))
    from alive, unnest($3::text[], $4::bigint[], $5::bigint[], $6::boolean[], $7::text[])
      as report(key, quota, reported, wants, "window")
    order by key
    on conflict (key) do update set
      ends_at = case when budget.ends_at > now() then budget.ends_at else excluded.ends_at end,
      quota = excluded.quota,
      holders = case when budget.ends_at > now() then budget.holders || ${sharedAnew} else excluded.holders end
    returning key, ends_at, holders),
  seats as (
    insert into limits.sockets as seat (principal, changed_at, holders)
    select principal, now(), jsonb_build_object($1::text,
      jsonb_build_object('open', open + least(wanted, greatest(0, maximum - open)), 'firm', open, 'wanted', wanted, 'maximum', maximum))
    from unnest($8::text[], $9::int[], $10::int[], $11::int[]) as report(principal, open, wanted, maximum)
    order by principal
    on conflict (principal) do update set
      changed_at = now(),
      holders = (
        select coalesce(jsonb_object_agg(other.id, counts), '{}') from ${others("seat.holders")}
          and other.id in (select id from limits.processes)) || (
        select jsonb_build_object($1::text, jsonb_build_object('firm', ${mine}->'firm',
          'open', (${mine}->>'firm')::int + least((${mine}->>'wanted')::int, greatest(0,
            (${mine}->>'maximum')::int - (${mine}->>'firm')::int - coalesce(sum((counts->>'open')::int), 0)))))
        from ${others("seat.holders")} and other.id in (${aliveOthers}))
    returning principal, holders)
  select
    (select peers from alive) as peers,
    coalesce((select json_agg(json_build_object(
      'key', key, 'window', ${epoch("ends_at")}::text, 'leftMs', ${epoch("ends_at - now()")} * 1000,
      'share', holders->$1::text->'share', 'spentElsewhere', (
        select coalesce(sum((counts->>'spent')::numeric), 0) from ${others("holders")}))) from budgets)::text, '[]') as budgets,
    coalesce((select json_agg(json_build_object(
      'principal', principal, 'granted', (holders->$1::text->>'open')::int - (holders->$1::text->>'firm')::int, 'openElsewhere', (
        select coalesce(sum((counts->>'open')::int), 0) from ${others("holders")} and other.id in (${aliveOthers}))))
      from seats)::text, '[]') as seats`;

export const exchangeValues = ({ processId, windowSeconds, budgets, seats }: Exchange): unknown[] => [
  processId,
  windowSeconds,
  budgets.map(({ key }) => key),
  budgets.map(({ limit }) => limit),
  budgets.map(({ spent }) => spent),
  budgets.map(({ wants }) => wants),
  budgets.map(({ window }) => window ?? null),
  seats.map(({ principal }) => principal),
  seats.map(({ open }) => open),
  seats.map(({ wanted }) => wanted),
  seats.map(({ limit }) => limit),
];

/** A process that stops gives its shares and sockets back at once. */
export const farewellStatement = `
  with gone as (delete from limits.processes where id = $1::text),
  due as materialized (select key from limits.budgets where key = any($2) order by key for update)
  update limits.budgets set holders = jsonb_set(holders, array[$1::text, 'until'], '0')
  where key in (select key from due) and holders ? $1::text`;
