import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { IdentifiedDelivery, NewDelivery } from "./new-delivery.js";

/** The state after a delivery is handled with its recording; undefined for a delivery that is handled later. */
export type ImmediateState = "Processed" | "Ignored" | undefined;

/** Handles deliveries in the transaction that records them, as far as that needs no other rows. */
export interface ImmediateHandling {
  /** Decides about a tenant's deliveries. It must not wait for the database as long as the tenant is in memory. */
  rulesOf(tenant: Tenant): Promise<(delivery: NewDelivery) => ImmediateState>;
  /** Records a handled delivery's events. */
  handle(transaction: Transaction, delivery: IdentifiedDelivery, state: NonNullable<ImmediateState>): void;
}
