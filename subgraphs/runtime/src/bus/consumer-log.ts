import type pg from "pg";
import { auditRecordType } from "../messages/audit-record.js";
import type { Message } from "../messages/envelope.js";
import type { BusConsumer, BusMessage, MessageConsumer } from "./bus.js";

const batchSize = 200;

/** Any consumer. The statement that reads for it separates events, commands and audit records. */
export type Consumer = MessageConsumer<Message> & Pick<BusConsumer, "kind" | "types">;
export type Read = BusMessage<Message>;

/** A log message with what the group needs to know about its key and tenant. */
export interface NextMessage extends Read {
  readonly tenant: string;
  /** Whether an earlier message with its key is held. */
  readonly keyHeld: boolean;
  /** How many messages are held for its tenant. */
  readonly tenantHeld: number;
}

/** A group's position and its next batch. Without further messages, `to` is undefined. */
interface NextBatch {
  readonly from: string;
  readonly to: string | undefined;
  readonly full: boolean;
  readonly messages: readonly NextMessage[];
}

/** A message that moves from the log to `bus.held` or `bus.dead_letters`. */
export interface Kept {
  readonly position: string;
  readonly parked: boolean;
  readonly attempts: number;
  readonly delayMs: number;
  readonly error: string | null;
}

const next = {
  name: "bus_next",
  text: `with place as (
      select consumer.position as "from", coalesce((select max(position) from bus.messages), consumer.position) as "end"
      from bus.consumers consumer where name = $1),
    waiting as materialized (select tenant, count(*)::int as count from bus.held where consumer = $1 group by tenant)
    select place."from", place."end", message.position, message.envelope, message.tenant,
      coalesce(waiting.count, 0) as tenant_held,
      waiting.count is not null and exists (select from bus.held where consumer = $1
        and held.tenant = message.tenant and held.partition_key = message.partition_key) as key_held
    from place
    left join lateral (
      select position, envelope, tenant, partition_key from bus.messages
      where position > place."from" and position <= place."end"
        and case when $3::text[] is null then type <> '${auditRecordType}' else type = any($3) end
        and kind = $2 order by position limit $4) message on true
    left join waiting on waiting.tenant = message.tenant
    order by message.position`,
};

const advance = {
  name: "bus_advance",
  text: "update bus.consumers set position = $3, updated_at = now() where name = $1 and position = $2",
};

const advanceAndKeep = {
  name: "bus_advance_keep",
  text: `with moved as (
      update bus.consumers set position = $3, updated_at = now() where name = $1 and position = $2 returning name),
    kept as (
      select message.position, message.envelope, message.tenant, message.partition_key,
        kept.parked, kept.attempts, kept.delay_ms, kept.error
      from moved, unnest($4::bigint[], $5::boolean[], $6::int[], $7::int[], $8::text[])
        as kept(position, parked, attempts, delay_ms, error)
      join bus.messages message using (position)),
    parked as (
      insert into bus.dead_letters (consumer, position, envelope, error)
      select $1, position, envelope, coalesce(error, '') from kept where parked on conflict do nothing)
    insert into bus.held (consumer, position, tenant, partition_key, envelope, attempts, not_before, error)
    select $1, position, tenant, partition_key, envelope, attempts, now() + delay_ms * interval '1 ms', error
    from kept where not parked on conflict do nothing`,
};

interface NextRow {
  from: string;
  end: string;
  position: string | null;
  envelope: Message;
  tenant: string;
  tenant_held: number;
  key_held: boolean;
}

/** Reads the log for a group: one statement reads, one moves the position. */
export class ConsumerLog {
  readonly #pool: pg.Pool;
  readonly #consumer: Consumer;

  constructor(pool: pg.Pool, consumer: Consumer) {
    this.#pool = pool;
    this.#consumer = consumer;
  }

  async next(): Promise<NextBatch> {
    const { group, kind = "event", types = null } = this.#consumer;
    const { rows } = await this.#pool.query<NextRow>({ ...next, values: [group, kind, types, batchSize] });
    const [first] = rows;
    const { from = "0", end = "0" } = first ?? {};
    const messages = rows.flatMap(({ position, envelope, tenant, tenant_held: tenantHeld, key_held: keyHeld }) =>
      position === null ? [] : [{ position, envelope, tenant, tenantHeld, keyHeld }],
    );
    // Messages for other groups are skipped in large steps. Otherwise they would be read each time and never be
    // deleted.
    const endPosition = Number(end) - Number(from) < batchSize ? undefined : end;
    return { from, to: messages.at(-1)?.position ?? endPosition, full: messages.length === batchSize, messages };
  }

  /** Moves the position past the batch, unless another process in the group has moved it already. */
  async advance({ from, to }: NextBatch, keptMessages: readonly Kept[]): Promise<void> {
    const values = [this.#consumer.group, from, to];
    if (keptMessages.length === 0) await this.#pool.query({ ...advance, values });
    else
      await this.#pool.query({
        ...advanceAndKeep,
        values: [
          ...values,
          keptMessages.map(({ position }) => position),
          keptMessages.map(({ parked }) => parked),
          keptMessages.map(({ attempts }) => attempts),
          keptMessages.map(({ delayMs }) => delayMs),
          keptMessages.map(({ error }) => error),
        ],
      });
  }
}
