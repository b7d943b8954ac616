import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { StoredDeliveryRow } from "../inbound-deliveries/webhook-delivery.view.js";

type ClaimedColumn =
  | "tenant_id"
  | "delivery_id"
  | "provider_id"
  | "provider_key"
  | "provider_delivery_id"
  | "event_name"
  | "normalized_event_type"
  | "key_id"
  | "wrapped_key"
  | "ciphertext"
  | "subscription_id"
  | "connection_id"
  | "run_id"
  | "attempts"
  | "claims"
  | "trace_id";

/** A delivery that only this process may handle until its claim ends, as the claim returns it. */
export interface ClaimedDelivery extends Readonly<Pick<StoredDeliveryRow, ClaimedColumn>> {
  /** The connection's project, else the Inbound subscription's. */
  readonly project_id: string | null;
}

/** The cause for a delivery's events: they continue its trace. */
export function causeOfDelivery({ trace_id }: Pick<ClaimedDelivery, "trace_id">): Cause {
  const parent = `00-${trace_id}-${trace_id.slice(0, 15)}1-01`;
  return { trace: continueTrace(parent), correlationId: trace_id, actorId: "system" };
}

/** The subject and the project in a delivery's events. */
export function subjectOfDelivery({ delivery_id, project_id }: Pick<ClaimedDelivery, "delivery_id" | "project_id">) {
  return { subject: `deliveries/${encodeId("whd", delivery_id)}`, projectId: project_id };
}

/** The members that a delivery's events share. */
export interface NamedDelivery {
  readonly deliveryId: string;
  readonly providerId: string;
  readonly provider: string;
  readonly providerDeliveryId: string;
  readonly eventName: string;
  readonly normalizedEventType: string;
  readonly connectionId: string | null;
  readonly runId: string;
}

/** The members for a claimed delivery's events. */
export function deliveryFacts(delivery: ClaimedDelivery): NamedDelivery {
  return {
    deliveryId: encodeId("whd", delivery.delivery_id),
    providerId: encodeId("prv", delivery.provider_id),
    provider: delivery.provider_key,
    providerDeliveryId: delivery.provider_delivery_id,
    eventName: delivery.event_name,
    normalizedEventType: delivery.normalized_event_type,
    connectionId: delivery.connection_id === null ? null : encodeId("con", delivery.connection_id),
    runId: encodeId("run", delivery.run_id),
  };
}
