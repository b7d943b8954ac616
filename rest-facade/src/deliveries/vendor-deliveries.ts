import type { RequestContext } from "@factory/runtime/tenancy/request-context";

/** A request that claims to be a delivery of a vendor. */
export interface VendorDelivery {
  /** The key in the path; undefined where a header names the provider. */
  readonly providerKey: string | undefined;
  /** Names and values in turns. A header may occur several times. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** With its query. */
  readonly path: string;
}

export interface DeliveryReceipt {
  readonly deliveryId: string | null;
  readonly status: string;
  readonly normalizedEventType: string | null;
  readonly traceId: string;
  readonly challenge: string | null;
  readonly deliveries: readonly unknown[];
  readonly conflicts: readonly string[];
}

/** Verifies deliveries, and records them before it answers. */
export interface VendorDeliveries {
  take(delivery: VendorDelivery, context: RequestContext): Promise<DeliveryReceipt>;
}
