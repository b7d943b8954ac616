import type { Backlog, WaitingWork } from "@factory/runtime/backlogs/waiting-work";
import { openPool } from "@factory/runtime/connections/pool";
import { connectionOptions, plansByKeys } from "@factory/runtime/db/plan-settings";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Pool } from "pg";
import { claimDeliveries, dueDeliveries, giveBackDeliveries } from "./claim-statement.js";
import type { ClaimedDelivery } from "./claimed-delivery.js";

const tenantsAtOnce = 8;
/** The limits on one tenant's batch. */
const batchSize = 100;
const batchBytes = 4 * 1024 * 1024;

/** Whether a batch has reached its limit, so that its tenant probably has more due deliveries. */
export const isFullBatch = ({ length }: readonly ClaimedDelivery[]): boolean => length === batchSize;

/** Claims and releases deliveries for all tenants as the worker role. */
export class DeliveryClaims implements Backlog {
  readonly #pool: Pool;

  constructor(workerUrl: string, logger: Logger) {
    this.#pool = openPool(workerUrl, 1, logger, { options: connectionOptions(plansByKeys) });
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /** All tenants' due deliveries. */
  async waiting(): Promise<WaitingWork[]> {
    const { rows } = await this.#pool.query<Pick<WaitingWork, "waiting" | "oldestSeconds">>(dueDeliveries);
    return rows.map((row) => ({ kind: "dispatcher", name: "vendor deliveries", ...row }));
  }

  /** Claims due deliveries for tenants that are not in `busy`, by tenant and oldest first. */
  async claim(busy: readonly string[]): Promise<Map<string, ClaimedDelivery[]>> {
    const limits = { tenants: tenantsAtOnce, deliveries: batchSize, bytes: batchBytes };
    const values = claimDeliveries.valuesOf({ busy, ...limits });
    const { rows } = await this.#pool.query<ClaimedDelivery>({ ...claimDeliveries, values });
    const byTenant = new Map<string, ClaimedDelivery[]>();
    for (const row of rows) {
      const tenantRows = byTenant.get(row.tenant_id);
      if (tenantRows) tenantRows.push(row);
      else byTenant.set(row.tenant_id, [row]);
    }
    return byTenant;
  }

  /** Releases claims, so that another process handles the deliveries at once. */
  async giveBack(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    await this.#pool.query({
      ...giveBackDeliveries,
      values: [
        deliveries.map(({ tenant_id }) => tenant_id),
        deliveries.map(({ delivery_id }) => delivery_id),
        deliveries.map(({ claims }) => claims),
      ],
    });
  }
}
