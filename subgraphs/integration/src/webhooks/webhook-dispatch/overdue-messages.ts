import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { StrandedRow, SweptRows } from "@factory/runtime/jobs/sweeping/sweeper";
import type { Pool } from "pg";
import type { WebhookLane } from "../webhook-messages/webhook-lane.js";
import { findOverdueMessages, makeOverdueMessageDue } from "./overdue-message-statement.js";

interface LaneListener {
  wake(lanes: readonly WebhookLane[]): void;
}

interface OverdueMessage extends StrandedRow {
  readonly lane: WebhookLane;
}

/** For the sweeper: messages that no dispatcher takes. One that has lost its due time becomes due, and the dispatcher is woken. */
export class OverdueMessages implements SweptRows<OverdueMessage> {
  readonly slice = "webhookMessages";
  readonly #workers: Pool;
  readonly #dispatcher: LaneListener;

  /** The pool connects as the worker role, which sees every tenant's messages. */
  constructor(workers: Pool, dispatcher: LaneListener) {
    this.#workers = workers;
    this.#dispatcher = dispatcher;
  }

  async find(): Promise<OverdueMessage[]> {
    const { rows } =
      await this.#workers.query<Record<"tenant_id" | "message_id" | "origin" | "subscription_id", string>>(
        findOverdueMessages,
      );
    return rows.map((row) => ({
      tenantId: encodeId("ten", row.tenant_id),
      id: encodeId("msg", row.message_id),
      lane: { tenant: row.tenant_id, origin: row.origin, subscription: row.subscription_id },
    }));
  }

  async repair({ tenantId, id, lane }: OverdueMessage): Promise<boolean> {
    const values = [decodeId("ten", tenantId), decodeId("msg", id)];
    const { rowCount } = await this.#workers.query(makeOverdueMessageDue, values);
    if (rowCount === 0) return false;
    this.#dispatcher.wake([lane]);
    return true;
  }
}
