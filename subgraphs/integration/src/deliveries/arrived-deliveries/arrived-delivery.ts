import type { Trace } from "@factory/runtime/telemetry/trace";
import type { InboundMessage } from "../../providers/inbound-signatures/inbound-message.js";

/** A request that claims to be a vendor's delivery. Nothing in it is trusted before its signature is verified. */
export interface ArrivedDelivery {
  /** `Specified`: the headers and the body in the specification. `Vendor`: the vendor's own. */
  readonly form: "Specified" | "Vendor";
  /** The key that the header X-Svc-Provider or the path names, in lower case. */
  readonly providerKey: string | undefined;
  readonly hint: DeliveryHint | undefined;
  readonly message: InboundMessage;
  /** The caller's network, for limits. */
  readonly address: string;
  readonly trace: Trace;
}

/**
 * The resource or account that a delivery names, so that only the secrets for one resource, or for one account at the
 * vendor, are tried.
 */
export interface DeliveryHint {
  readonly kind: "subscription" | "connection" | "account";
  readonly value: string;
}

/** The delivery that a request has made, or an earlier request with the same id and body. */
export interface AcceptedDelivery {
  readonly deliveryId: string;
  readonly normalizedEventType: string;
  readonly isDuplicate: boolean;
}
