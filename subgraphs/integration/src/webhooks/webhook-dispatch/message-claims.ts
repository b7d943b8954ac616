import type { Backlog, WaitingWork } from "@factory/runtime/backlogs/waiting-work";
import { openPool } from "@factory/runtime/connections/pool";
import { connectionOptions, plansInOrder } from "@factory/runtime/db/plan-settings";
import type { Envelope } from "@factory/runtime/messages/envelope";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Pool } from "pg";
import type { Opening } from "../../ground/egress/circuit-breakers.js";
import { laneKey, type OrderedKeys, type WebhookLane } from "../webhook-messages/webhook-lane.js";
import type { StoredMessageRow } from "../webhook-messages/webhook-message.view.js";
import {
  claimMessages,
  dueMessages,
  forgetOpening,
  giveBack,
  keepOpening,
  openBreakers,
  waitingLanes,
} from "./claim-statement.js";
import type { Share } from "./due-lanes.js";
import type { Pace } from "./lane-paces.js";
import { releaseKeys, strandedKeys } from "./ordered-message-statement.js";
import { takeTurns } from "./pace-statement.js";

/** A message that only this process may send until its claim ends. */
export interface ClaimedMessage {
  /** uuid */
  readonly messageId: string;
  /** The event's `sequence`. */
  readonly position: string;
  /** The number of attempts with a stored result. */
  readonly attempts: number;
  /** The stored attempts before the newest replay. */
  readonly attemptsBefore: number;
  /** The fencing number: a newer claim on the message has a higher one. */
  readonly claim: number;
  /** Null in a subscription whose messages are sent in parallel. */
  readonly partitionKey: string | null;
  /** Null when the event no longer exists. */
  readonly envelope: Envelope | null;
}

/** A lane with a waiting message, and the time until it is due. A negative time means that it is due. */
interface WaitingLane {
  readonly lane: WebhookLane;
  readonly dueInMs: number;
}

interface OpenBreaker {
  readonly lane: WebhookLane;
  readonly openings: number;
  readonly pausedForMs: number;
}

type LaneRow = Pick<StoredMessageRow, "tenant_id" | "origin" | "subscription_id">;

type ClaimRow = LaneRow &
  Pick<StoredMessageRow, "message_id" | "position" | "attempts" | "attempts_before" | "claims" | "partition_key"> & {
    envelope: Envelope | null;
  };

const connections = 3;
const keysPerRelease = 1000;

/** Finds, claims and releases messages for all tenants as the worker role. */
export class MessageClaims implements Backlog {
  readonly #pool: Pool;

  constructor(workerUrl: string, logger: Logger) {
    this.#pool = openPool(workerUrl, connections, logger, { options: connectionOptions(plansInOrder) });
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /** The lanes with a message that is due within `horizonMs`: for each tenant at most `perTenant`, chosen at random. */
  async look(horizonMs: number, perTenant: number): Promise<WaitingLane[]> {
    const { rows } = await this.#pool.query<LaneRow & { due_in_ms: number }>({
      ...waitingLanes,
      values: [horizonMs, perTenant],
    });
    return rows.map((row) => ({ lane: laneOf(row), dueInMs: row.due_in_ms }));
  }

  /** The due messages whose receivers are not paused. */
  async waiting(): Promise<WaitingWork[]> {
    const { rows } = await this.#pool.query<Pick<WaitingWork, "waiting" | "oldestSeconds">>(dueMessages);
    return rows.map((row) => ({ kind: "dispatcher", name: "webhooks", ...row }));
  }

  /** Claims messages for lanes. Returns them by lane, oldest event first. */
  async claim(shares: readonly Share[]): Promise<Map<WebhookLane, ClaimedMessage[]>> {
    const { rows } = await this.#pool.query<ClaimRow>({
      ...claimMessages,
      values: claimMessages.valuesOf({
        tenants: shares.map(({ lane }) => lane.tenant),
        origins: shares.map(({ lane }) => lane.origin),
        subscriptions: shares.map(({ lane }) => lane.subscription),
        rooms: shares.map(({ room }) => room),
      }),
    });
    const claims = new Map(shares.map(({ lane }) => [lane, [] as ClaimedMessage[]]));
    const lanes = new Map(shares.map(({ lane }) => [laneKey(lane), lane]));
    for (const row of rows) {
      const lane = lanes.get(laneKey(laneOf(row)));
      if (lane) claims.get(lane)?.push(messageOf(row));
    }
    return claims;
  }

  /** Releases claimed messages, which are then due at once. The attempt that was running does not count. */
  async giveBack(messages: readonly { lane: WebhookLane; message: ClaimedMessage }[]): Promise<void> {
    if (messages.length === 0) return;
    await this.#pool.query({
      ...giveBack,
      values: [
        messages.map(({ lane }) => lane.tenant),
        messages.map(({ message }) => message.messageId),
        messages.map(({ message }) => message.claim),
      ],
    });
  }

  /** Makes the partition keys' first waiting messages due. */
  async release(laneKeys: readonly OrderedKeys[]): Promise<void> {
    const entries = laneKeys.flatMap(({ lane, keys }) => keys.map((key) => ({ lane, key })));
    for (let start = 0; start < entries.length; start += keysPerRelease) {
      const part = entries.slice(start, start + keysPerRelease);
      await this.#pool.query({
        ...releaseKeys,
        values: [
          part.map(({ lane }) => lane.tenant),
          part.map(({ lane }) => lane.subscription),
          part.map(({ key }) => key),
        ],
      });
    }
  }

  /** The partition keys with a first waiting message that no process would find, at most 10,000. */
  async strandedKeys(): Promise<OrderedKeys[]> {
    const { rows } = await this.#pool.query<LaneRow & { partition_key: string }>(strandedKeys);
    return rows.map((row) => ({ lane: laneOf(row), keys: [row.partition_key] }));
  }

  /** Takes turns for at most `count` messages in a lane with a pace. `waitMs` is the time until the next turn. */
  async takeTurns(lane: WebhookLane, count: number, pace: Pace): Promise<{ granted: number; waitMs: number }> {
    const { intervalMs, burst } = pace;
    const { rows } = await this.#pool.query<{ granted: number; ahead_ms: number }>({
      ...takeTurns,
      values: takeTurns.valuesOf({
        tenant: lane.tenant,
        subscription: lane.subscription,
        wanted: count,
        intervalMs,
        burst,
      }),
    });
    const { granted = 0, ahead_ms: aheadMs = 0 } = rows[0] ?? {};
    return { granted, waitMs: Math.max(0, Math.ceil(aheadMs - (burst - 1) * intervalMs)) };
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
    const values = keepOpening.valuesOf({ tenant, origin, openings, pauseMs });
    await this.#pool.query({ ...keepOpening, values });
  }

  async forgetOpening({ tenant, origin }: WebhookLane): Promise<void> {
    await this.#pool.query(forgetOpening, [tenant, origin]);
  }
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
  attemptsBefore: row.attempts_before,
  claim: row.claims,
  partitionKey: row.partition_key,
  envelope: row.envelope,
});
