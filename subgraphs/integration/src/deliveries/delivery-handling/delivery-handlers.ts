import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { FactsOfTenant } from "@factory/runtime/tenant-facts/facts-of-tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ProviderRecord } from "../../providers/providers/provider-record.js";
import type { ClaimedDelivery } from "./claimed-delivery.js";
import type { Payload } from "./delivery-payload.js";

/** A delivery with its opened payload. */
export interface OpenDelivery {
  readonly tenant: Tenant;
  readonly delivery: ClaimedDelivery;
  readonly payload: Payload;
  readonly provider: ProviderRecord | undefined;
  readonly facts: FactsOfTenant;
}

/**
 * Does one thing for a delivery, in the transaction that ends the delivery, so it happens once. Returns false when it has
 * nothing to do. An error that it throws fails the delivery, which is then tried again.
 */
export type DeliveryHandler = (transaction: Transaction, delivery: OpenDelivery) => Promise<boolean>;

/** The delivery handlers, in the order of their registration. */
export class DeliveryHandlers {
  readonly #handlers: DeliveryHandler[] = [];

  add(handler: DeliveryHandler): void {
    this.#handlers.push(handler);
  }

  /** True when a handler had something to do. */
  async handle(transaction: Transaction, delivery: OpenDelivery): Promise<boolean> {
    let isHandled = false;
    for (const handler of this.#handlers) isHandled = (await handler(transaction, delivery)) || isHandled;
    return isHandled;
  }
}
