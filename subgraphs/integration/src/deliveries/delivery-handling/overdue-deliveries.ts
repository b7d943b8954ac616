import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { StrandedRow, SweptRows } from "@factory/runtime/jobs/sweeping/sweeper";
import type { Pool } from "pg";
import { findOverdueDeliveries, makeOverdueDeliveryDue } from "./claim-statement.js";

interface Wakeable {
  wake(): void;
}

/** For the sweeper: deliveries that no process takes. One that has lost its due time becomes due. */
export class OverdueDeliveries implements SweptRows {
  readonly slice = "webhookDeliveries";
  readonly #workers: Pool;
  readonly #dispatcher: Wakeable;

  /** The pool connects as the worker role, which sees every tenant's deliveries. */
  constructor(workers: Pool, dispatcher: Wakeable) {
    this.#workers = workers;
    this.#dispatcher = dispatcher;
  }

  async find(): Promise<StrandedRow[]> {
    const { rows } = await this.#workers.query<Record<"tenant_id" | "delivery_id", string>>(findOverdueDeliveries);
    return rows.map((row) => ({ tenantId: encodeId("ten", row.tenant_id), id: encodeId("whd", row.delivery_id) }));
  }

  async repair({ tenantId, id }: StrandedRow): Promise<boolean> {
    const { rowCount } = await this.#workers.query(makeOverdueDeliveryDue, [
      decodeId("ten", tenantId),
      decodeId("whd", id),
    ]);
    if (rowCount === 0) return false;
    this.#dispatcher.wake();
    return true;
  }
}
