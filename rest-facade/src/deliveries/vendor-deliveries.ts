import type { RequestContext } from "@factory/runtime/tenancy/request-context";

/** A request that claims to be a vendor's delivery. */
interface VendorDelivery {
  /** The key in the path; undefined where a header names the provider. */
  readonly providerKey: string | undefined;
  /** Names and values in turns. A header may occur several times. */
  readonly headers: readonly string[];
  /** The bytes, which may not have come yet. */
  readonly body: AsyncIterable<Uint8Array>;
  /** With its query. */
  readonly path: string;
  readonly method: string;
}

export interface DeliveryReceipt {
  readonly deliveryId: string | null;
  readonly status: string;
  readonly normalizedEventType: string | null;
  readonly traceId: string;
  /** The answer to a URL test. */
  readonly challenge: string | null;
  readonly challengeMediaType: string | null;
  readonly deliveries: readonly unknown[];
  readonly conflicts: readonly string[];
}

/** Verifies deliveries, and records them before it answers. */
export interface VendorDeliveries {
  take(delivery: VendorDelivery, context: RequestContext): Promise<DeliveryReceipt>;
}
