import { setTimeout as sleep } from "node:timers/promises";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { type Drained, DrainLoop } from "@factory/runtime/loops/drain-loop";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { ClaimedDelivery } from "./claimed-delivery.js";
import type { DeliveryBatches } from "./delivery-batch.js";
import { type DeliveryClaims, isFullBatch } from "./delivery-claims.js";

interface DispatcherServices {
  readonly claims: DeliveryClaims;
  readonly batches: DeliveryBatches;
  readonly logger: Logger;
}

/** The limit on tenants whose batches are handled at the same time. */
const tenantsAtOnce = 8;
const stopPatienceMs = 3000;
/** Deliveries that arrive within this time are claimed together, which costs the database less than a claim for each. */
const gatherMs = 25;

/**
 * Handles the deliveries that are due. It claims a batch for some tenants each, and ends each batch in one transaction.
 * A tenant has one batch at a time in this process, so that a tenant with many deliveries does not hold up the others.
 *
 * It is woken when this process accepts a delivery. Once a second it looks for other due deliveries: retries, other
 * processes' deliveries, and deliveries whose claim has ended because its process died.
 */
export class DeliveryDispatcher {
  readonly #services: DispatcherServices;
  readonly #loop: DrainLoop;
  readonly #underWay = new Map<string, { deliveries: readonly ClaimedDelivery[]; done: Promise<void> }>();
  #gathering: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(services: DispatcherServices) {
    this.#services = services;
    this.#loop = new DrainLoop("delivery dispatcher", () => this.#drain(), services.logger);
  }

  /** Reports that deliveries are due. They are claimed a moment later, together with those that arrive until then. */
  wake(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#loop.wake();
    }, gatherMs);
  }

  /** Waits some seconds for the batches that are being handled, and releases the others. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#gathering);
    await this.#loop.stop();
    const { claims, logger } = this.#services;
    const all = Promise.all([...this.#underWay.values()].map(({ done }) => done));
    await Promise.race([all, sleep(stopPatienceMs, undefined, { ref: false })]);
    await claims
      .giveBack([...this.#underWay.values()].flatMap(({ deliveries }) => deliveries))
      .catch((err: unknown) => {
        logger.warn({ err }, "deliveries were not released; they are due again when their claims end");
      });
  }

  async #drain(): Promise<Drained> {
    if (this.#underWay.size >= tenantsAtOnce) return "empty";
    const claims = await this.#services.claims.claim([...this.#underWay.keys()]);
    if (claims.size > 0) failpoint("delivery.claimed");
    for (const [tenant, deliveries] of claims)
      this.#underWay.set(tenant, { deliveries, done: this.#handle(tenant, deliveries) });
    return "empty";
  }

  async #handle(tenant: string, deliveries: readonly ClaimedDelivery[]): Promise<void> {
    const { batches, logger } = this.#services;
    try {
      await batches.handle(tenant, deliveries);
    } catch (error) {
      logger.warn(
        { err: error, deliveries: deliveries.length },
        "deliveries were not handled; they are due again when their claims end",
      );
    }
    this.#underWay.delete(tenant);
    if (this.#stopped) return;
    if (isFullBatch(deliveries)) this.#loop.wake();
    else this.wake();
  }
}
