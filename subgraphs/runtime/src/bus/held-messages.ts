import type pg from "pg";
import type { Message } from "../messages/envelope.js";
import type { Read } from "./consumer-log.js";
import type { Verdict } from "./failure.js";

const maxDue = 20;
const maxDuePerTenant = 5;
const maxBehind = 50;

export interface HeldMessage extends Read {
  readonly tenant: string;
  readonly attempts: number;
  readonly waitedMs: number;
}

interface Due {
  readonly messages: readonly HeldMessage[];
  /** Milliseconds until the next message is due; undefined when none waits. */
  readonly nextMs: number | undefined;
}

/** Reads each key's oldest due message; tenants take turns. */
const due = {
  name: "bus_held_due",
  text: `with heads as materialized (
      select distinct on (tenant, partition_key) tenant, position, not_before from bus.held where consumer = $1
      order by tenant, partition_key, position),
    chosen as materialized (
      select position, not_before from (
        select position, not_before, row_number() over (partition by tenant order by not_before, position) as place
        from heads where not_before <= now()) ordered
      where place <= $2 order by not_before, position limit $3)
    select ahead.next_ms, held.position, held.envelope, held.tenant, held.attempts,
      (extract(epoch from now() - held.held_at) * 1000)::float8 as waited_ms
    from (select (extract(epoch from min(not_before) - now()) * 1000)::float8 as next_ms
      from heads where not_before > now()) ahead
    left join chosen on true
    left join bus.held held on held.consumer = $1 and held.position = chosen.position
    order by chosen.not_before, chosen.position`,
};

/** Reads the messages that wait behind another message with their key. */
const behind = {
  name: "bus_held_behind",
  text: `select later.position, later.envelope, later.tenant, later.attempts,
      (extract(epoch from now() - later.held_at) * 1000)::float8 as waited_ms
    from bus.held first join bus.held later using (consumer, tenant, partition_key)
    where consumer = $1 and first.position = $2 and later.position > first.position
    order by later.position limit $3`,
};

const settle = {
  name: "bus_held_settle",
  text: `with tried as (
      select * from unnest($2::bigint[], $3::text[], $4::int[], $5::int[], $6::text[])
        as tried(position, outcome, attempts, delay_ms, error)),
    gone as (
      delete from bus.held using tried
      where consumer = $1 and held.position = tried.position and outcome <> 'again'
      returning held.position, held.envelope, outcome, tried.error),
    parked as (
      insert into bus.dead_letters (consumer, position, envelope, error)
      select $1, position, envelope, error from gone where outcome = 'parked'
      on conflict (consumer, position) do update set error = excluded.error, created_at = now())
    update bus.held set attempts = tried.attempts, not_before = now() + tried.delay_ms * interval '1 ms', error = tried.error
    from tried where consumer = $1 and held.position = tried.position and outcome = 'again'`,
};

interface HeldRow {
  position: string;
  envelope: Message;
  tenant: string;
  attempts: number;
  waited_ms: number;
}

type DueRow = { next_ms: number | null } & (HeldRow | { position: null });

/** An attempt's result. Without a verdict the message was handled. */
export interface Tried {
  readonly position: string;
  readonly verdict: Verdict | undefined;
}

/** A group's held messages: rows in `bus.held`, so that attempts survive the process and the log's retention. */
export class HeldMessages {
  readonly #pool: pg.Pool;
  readonly #group: string;

  constructor(pool: pg.Pool, group: string) {
    this.#pool = pool;
    this.#group = group;
  }

  async due(): Promise<Due> {
    const { rows } = await this.#pool.query<DueRow>({ ...due, values: [this.#group, maxDuePerTenant, maxDue] });
    const messages = rows.flatMap((row) => (row.position === null ? [] : [heldMessage(row)]));
    return { messages, nextMs: rows[0]?.next_ms ?? undefined };
  }

  /** The next messages with the same key, in their order. They were not tried alone yet. */
  async behind({ position }: HeldMessage): Promise<HeldMessage[]> {
    const { rows } = await this.#pool.query<HeldRow>({ ...behind, values: [this.#group, position, maxBehind] });
    return rows.map(heldMessage);
  }

  async settle(attempts: readonly Tried[]): Promise<void> {
    const again = attempts.map(({ verdict }) => (verdict === undefined || verdict.parked ? undefined : verdict));
    await this.#pool.query({
      ...settle,
      values: [
        this.#group,
        attempts.map(({ position }) => position),
        attempts.map(({ verdict }) => outcomeOf(verdict)),
        again.map((verdict) => verdict?.attempts ?? 0),
        again.map((verdict) => verdict?.delayMs ?? 0),
        attempts.map(({ verdict }) => verdict?.error ?? null),
      ],
    });
  }
}

const heldMessage = ({ waited_ms: waitedMs, position, envelope, tenant, attempts }: HeldRow): HeldMessage => ({
  position,
  envelope,
  tenant,
  attempts,
  waitedMs,
});

function outcomeOf(verdict: Verdict | undefined): "consumed" | "parked" | "again" {
  if (!verdict) return "consumed";
  return verdict.parked ? "parked" : "again";
}
