import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { LyingRow, SweptRows } from "@factory/runtime/jobs/sweeping/sweeper";
import type { Pool } from "pg";
import type { WebhookLane } from "../webhook-messages/webhook-lane.js";
import { lyingMessages } from "../webhook-messages/webhook-message.states.js";

const mostAtOnce = 1000;

interface LyingMessage extends LyingRow {
  readonly lane: WebhookLane;
}

interface Dispatcher {
  wake(lanes: readonly WebhookLane[]): void;
}

/** Messages that no dispatcher comes for: it is told of them, and one that lost its due time is due now. */
export class LyingMessages implements SweptRows<LyingMessage> {
  readonly slice = "webhookMessages";
  readonly #workers: Pool;
  readonly #dispatcher: Dispatcher;

  /** The pool connects as the worker, who sees messages of every tenant. */
  constructor(workers: Pool, dispatcher: Dispatcher) {
    this.#workers = workers;
    this.#dispatcher = dispatcher;
  }

  async find(): Promise<LyingMessage[]> {
    const { rows } = await this.#workers.query<
      Record<"tenant_id" | "message_id" | "origin" | "subscription_id", string>
    >(
      `select tenant_id, message_id, origin, subscription_id from ${lyingMessages.table}
       where ${lyingMessages.condition} limit ${mostAtOnce}`,
    );
    return rows.map((row) => ({
      tenantId: encodeId("ten", row.tenant_id),
      id: encodeId("msg", row.message_id),
      lane: { tenant: row.tenant_id, origin: row.origin, subscription: row.subscription_id },
    }));
  }

  /** A due time of long ago stays, so that a message that nobody sends goes on being counted. */
  async repair({ tenantId, id, lane }: LyingMessage): Promise<boolean> {
    const { rowCount } = await this.#workers.query(
      `update webhook_messages message set next_attempt_at = coalesce(next_attempt_at, now())
       where tenant_id = $1 and message_id = $2 and ${lyingMessages.condition}`,
      [decodeId("ten", tenantId), decodeId("msg", id)],
    );
    if (rowCount === 0) return false;
    this.#dispatcher.wake([lane]);
    return true;
  }
}
