import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";

/** A delivery that only this process may handle until its claim ends, as the claim returns it. */
export interface ClaimedDelivery {
  readonly tenant_id: string;
  readonly delivery_id: string;
  readonly provider_id: string;
  readonly provider_key: string;
  readonly provider_delivery_id: string;
  readonly event_name: string;
  readonly normalized_event_type: string;
  readonly key_id: string | null;
  readonly wrapped_key: Buffer | null;
  readonly ciphertext: Buffer | null;
  /** The subscription whose secret has verified it. */
  readonly subscription_id: string | null;
  readonly connection_id: string | null;
  /** The project of the connection, else that of the Inbound subscription. */
  readonly project_id: string | null;
  readonly run_id: string;
  /** The attempts with a stored result. */
  readonly attempts: number;
  /** The fencing number. */
  readonly claims: number;
  readonly trace_id: string;
}

/** The cause of the events of a delivery: they continue its trace. */
export function causeOfDelivery({ trace_id }: Pick<ClaimedDelivery, "trace_id">): Cause {
  const parent = `00-${trace_id}-${trace_id.slice(0, 15)}1-01`;
  return { trace: continueTrace(parent), correlationId: trace_id, actorId: "system" };
}

/** The subject and the project of the events of a delivery. */
export function subjectOfDelivery({ delivery_id, project_id }: Pick<ClaimedDelivery, "delivery_id" | "project_id">) {
  return { subject: `deliveries/${encodeId("whd", delivery_id)}`, projectId: project_id };
}

/** The members that the events of a delivery share. */
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

/** The members of the events of a claimed delivery. */
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
