import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { IdentifiedDelivery, NewDelivery } from "./new-delivery.js";

/** The state of a delivery that is handled with its recording; undefined for one that is handled later. */
export type ImmediateState = "Processed" | "Ignored" | undefined;

/** Handles deliveries in the transaction that records them, as far as that needs no other rows. */
export interface ImmediateHandling {
  /** Decides about deliveries of a tenant. It must not wait for the database as long as the tenant is in memory. */
  rulesOf(tenant: Tenant): Promise<(delivery: NewDelivery) => ImmediateState>;
  /** Records the events of a handled delivery. */
  handle(transaction: Transaction, delivery: IdentifiedDelivery, state: NonNullable<ImmediateState>): void;
}
