import { type EventType, eventTypes } from "@factory/schema/event-names";
import { newId } from "../identifiers/wire-id.js";
import { type Trace, traceparent } from "../telemetry/trace.js";

/** CloudEvents 1.0 structured JSON with the platform's extension attributes; `sequence` is set when it is published. */
export interface Envelope<Data = Record<string, unknown>> {
  specversion: "1.0";
  /** `evt_…`; equals the bus message id and the `webhook-id` header. */
  id: string;
  source: string;
  type: EventType;
  /** `<resource>/<id>` */
  subject: string;
  /** RFC 3339 UTC, time of occurrence. */
  time: string;
  datacontenttype: "application/json";
  /** MAJOR.MINOR */
  schemaversion: string;
  messagekind: "event" | "command";
  tenantid: string;
  traceparent: string;
  traceid: string;
  correlationid: string;
  causationid?: string;
  /** Events of one key keep their order; the aggregate id unless said otherwise. */
  partitionkey: string;
  actorid?: string;
  /** Decimal position in the event log, unique and ascending; absent until published. */
  sequence?: string;
  data: Data;
}

export interface NewEvent {
  type: EventType;
  /** `<resource>/<id>` */
  subject: string;
  partitionKey?: string;
  /** The tenant that sees the event, where it is not the one that writes it. */
  tenantId?: string;
  data: Record<string, unknown>;
}

/** Who and what caused an event. */
export interface Cause {
  trace: Trace;
  correlationId?: string | undefined;
  causationId?: string | undefined;
  actorId?: string | undefined;
}

export function sealEnvelope(event: NewEvent, tenantId: string, cause: Cause): Envelope {
  return {
    specversion: "1.0",
    id: newId("evt"),
    source: `/${eventTypes[event.type].source}`,
    type: event.type,
    subject: event.subject,
    time: new Date().toISOString(),
    datacontenttype: "application/json",
    schemaversion: "1.0",
    messagekind: "event",
    tenantid: tenantId,
    traceparent: traceparent(cause.trace),
    traceid: cause.trace.traceId,
    correlationid: cause.correlationId ?? cause.trace.traceId,
    ...(cause.causationId === undefined ? {} : { causationid: cause.causationId }),
    partitionkey: event.partitionKey ?? event.subject.slice(event.subject.indexOf("/") + 1),
    ...(cause.actorId === undefined ? {} : { actorid: cause.actorId }),
    data: event.data,
  };
}
