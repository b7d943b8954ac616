import { openPool } from "@factory/runtime/connections/pool";
import type { Envelope } from "@factory/runtime/messages/envelope";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Pool } from "pg";
import { laneKey, type WebhookLane } from "../webhook-messages/webhook-lane.js";
import { isWaiting } from "../webhook-messages/webhook-message.states.js";
import type { Opening } from "./circuit-breakers.js";
import type { Share } from "./due-lanes.js";

/** By the database's clock. Longer than an attempt can take, so that no claim is renewed. */
const leaseSeconds = 30;

/** A message that this process alone sends, until its claim ends. */
export interface ClaimedMessage {
  /** uuid */
  readonly messageId: string;
  /** The event's `sequence`. */
  readonly position: string;
  /** Attempts that have an outcome. */
  readonly attempts: number;
  /** The fence: a newer claim of the message has a higher number. */
  readonly claim: number;
  /** Null: the event is gone. */
  readonly envelope: Envelope | null;
}

/** A lane that has a message, and when that is due; negative when it already is. */
export interface WaitingLane {
  readonly lane: WebhookLane;
  readonly dueInMs: number;
}

export interface OpenBreaker {
  readonly lane: WebhookLane;
  readonly openings: number;
  readonly pausedForMs: number;
}

interface ClaimRow {
  tenant_id: string;
  origin: string;
  subscription_id: string;
  message_id: string;
  position: string;
  attempts: number;
  claims: number;
  envelope: Envelope | null;
}

// A claim that is lost with a crash of the server sends the message again, which may happen at any time anyway.
const relaxed = "relaxed as materialized (select set_config('synchronous_commit', 'off', true))";

/** For each lane the first due messages, at most as many as there is room for, whatever waits behind them. */
export const claimMessages = {
  name: "webhook_messages_claim",
  text: `
    with ${relaxed},
    due as materialized (
      select message.tenant_id, message.message_id
      from unnest($1::uuid[], $2::text[], $3::uuid[], $4::int[]) as lane(tenant_id, origin, subscription_id, room)
      cross join lateral (
        select tenant_id, message_id from webhook_messages
        where tenant_id = lane.tenant_id and origin = lane.origin and subscription_id = lane.subscription_id
          and ${isWaiting} and next_attempt_at <= now()
        order by next_attempt_at, position limit lane.room for update skip locked) message),
    claimed as (
      update webhook_messages message
      set status = 'Delivering', claims = claims + 1, next_attempt_at = now() + interval '${leaseSeconds} seconds'
      from due, relaxed where message.tenant_id = due.tenant_id and message.message_id = due.message_id
      returning message.*)
    select claimed.tenant_id, claimed.origin, claimed.subscription_id, claimed.message_id, claimed.position,
      claimed.attempts, claimed.claims, coalesce(claimed.envelope, event.envelope) as envelope
    from claimed left join event_log event using (tenant_id, event_id) order by claimed.position`,
};

/** One step of the index for each lane (a loose index scan), however many messages wait in it. */
export const waitingLanes = {
  name: "webhook_lanes_waiting",
  text: `
    with recursive lane as (
      (select tenant_id, origin, subscription_id, next_attempt_at from webhook_messages where ${isWaiting}
       order by tenant_id, origin, subscription_id, next_attempt_at limit 1)
      union all
      select next.* from lane cross join lateral (
        select tenant_id, origin, subscription_id, next_attempt_at from webhook_messages
        where ${isWaiting} and (tenant_id, origin, subscription_id) > (lane.tenant_id, lane.origin, lane.subscription_id)
        order by tenant_id, origin, subscription_id, next_attempt_at limit 1) next),
    soon as (
      select lane.*, row_number() over (partition by lane.tenant_id order by random()) as place
      from lane left join webhook_breakers breaker using (tenant_id, origin)
      where next_attempt_at <= now() + $1 * interval '1 millisecond'
        and coalesce(breaker.paused_until, '-infinity') <= now() + $1 * interval '1 millisecond')
    select tenant_id, origin, subscription_id, extract(epoch from next_attempt_at - now())::float8 * 1000 as due_in_ms
    from soon where place <= $2`,
};

const giveBack = {
  name: "webhook_messages_give_back",
  text: `
    update webhook_messages message
    set status = case when attempts = 0 then 'Pending' else 'RetryScheduled' end, next_attempt_at = now()
    from unnest($1::uuid[], $2::uuid[], $3::int[]) as held(tenant_id, message_id, claim)
    where message.tenant_id = held.tenant_id and message.message_id = held.message_id
      and message.claims = held.claim and message.status = 'Delivering'`,
};

const openBreakers = `select tenant_id, origin, openings, extract(epoch from paused_until - now())::float8 * 1000 as paused_for_ms
  from webhook_breakers where paused_until > now() - interval '10 minutes' order by paused_until desc limit 10000`;

const keepOpening = `insert into webhook_breakers (tenant_id, origin, openings, paused_until)
  values ($1, $2, $3, now() + $4 * interval '1 millisecond')
  on conflict (tenant_id, origin) do update set openings = excluded.openings, paused_until = excluded.paused_until`;

/**
 * A plan is made once, perhaps while the table is empty and reading all of it would be the cheapest, and kept while it
 * grows: so whoever changes messages uses indexes only.
 */
export const indexesOnly = { enable_seqscan: "off" } as const;

const connections = 3;

/** What is done with messages before their tenant is known, as the worker: find, claim and give back. */
export class WebhookClaims {
  readonly #pool: Pool;

  constructor(workerUrl: string, logger: Logger) {
    const options = `-c enable_seqscan=${indexesOnly.enable_seqscan}`;
    this.#pool = openPool(workerUrl, connections, logger, { options });
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /** Lanes that have a message due within `horizonMs`: at most `perTenant` of each tenant, chosen at random. */
  async look(horizonMs: number, perTenant: number): Promise<WaitingLane[]> {
    const { rows } = await this.#pool.query<LaneRow & { due_in_ms: number }>({
      ...waitingLanes,
      values: [horizonMs, perTenant],
    });
    return rows.map((row) => ({ lane: laneOf(row), dueInMs: row.due_in_ms }));
  }

  /** By lane, oldest event first. */
  async claim(shares: readonly Share[]): Promise<Map<WebhookLane, ClaimedMessage[]>> {
    const { rows } = await this.#pool.query<ClaimRow>({
      ...claimMessages,
      values: [
        shares.map(({ lane }) => lane.tenant),
        shares.map(({ lane }) => lane.origin),
        shares.map(({ lane }) => lane.subscription),
        shares.map(({ room }) => room),
      ],
    });
    const claimed = new Map(shares.map(({ lane }) => [lane, [] as ClaimedMessage[]]));
    const lanes = new Map(shares.map(({ lane }) => [laneKey(lane), lane]));
    for (const row of rows) {
      const lane = lanes.get(laneKey(laneOf(row)));
      if (lane) claimed.get(lane)?.push(messageOf(row));
    }
    return claimed;
  }

  /** Due again at once; the attempt that was under way does not count. */
  async giveBack(held: readonly { lane: WebhookLane; message: ClaimedMessage }[]): Promise<void> {
    if (held.length === 0) return;
    await this.#pool.query({
      ...giveBack,
      values: [
        held.map(({ lane }) => lane.tenant),
        held.map(({ message }) => message.messageId),
        held.map(({ message }) => message.claim),
      ],
    });
  }

  async openBreakers(): Promise<OpenBreaker[]> {
    const { rows } = await this.#pool.query<
      Omit<LaneRow, "subscription_id"> & { openings: number; paused_for_ms: number }
    >(openBreakers);
    return rows.map((row) => ({
      lane: laneOf({ ...row, subscription_id: "" }),
      openings: row.openings,
      pausedForMs: row.paused_for_ms,
    }));
  }

  async keepOpening({ tenant, origin }: WebhookLane, { openings, pauseMs }: Opening): Promise<void> {
    await this.#pool.query(keepOpening, [tenant, origin, openings, pauseMs]);
  }

  async forgetOpening({ tenant, origin }: WebhookLane): Promise<void> {
    await this.#pool.query("delete from webhook_breakers where tenant_id = $1 and origin = $2", [tenant, origin]);
  }
}

interface LaneRow {
  tenant_id: string;
  origin: string;
  subscription_id: string;
}

const laneOf = ({ tenant_id, origin, subscription_id }: LaneRow): WebhookLane => ({
  tenant: tenant_id,
  origin,
  subscription: subscription_id,
});

const messageOf = (row: ClaimRow): ClaimedMessage => ({
  messageId: row.message_id,
  position: row.position,
  attempts: row.attempts,
  claim: row.claims,
  envelope: row.envelope,
});
