import type { Trace } from "@factory/runtime/telemetry/trace";
import type { AcceptedDelivery } from "../arrived-deliveries/arrived-delivery.js";
import type { DeliveryFacts } from "../arrived-deliveries/delivery-facts.js";
import type { Match } from "./signature-verifier.js";

/** A verified delivery that is to be recorded. */
export interface NewDelivery extends Omit<DeliveryFacts, "value" | "named"> {
  readonly match: Match;
  readonly normalizedEventType: string;
  readonly trace: Trace;
}

/** `Conflict`: a delivery with the same id and another body is known. */
export type RecordedDelivery = AcceptedDelivery | "Conflict";

/** A delivery as it is recorded. */
export interface IdentifiedDelivery extends NewDelivery {
  readonly deliveryId: string;
  readonly runId: string;
  /** The connection whose secret verified it, or whose account it names. */
  readonly connectionId: string | null;
  /** The connection's project, else the Inbound subscription's. */
  readonly projectId: string | null;
}
