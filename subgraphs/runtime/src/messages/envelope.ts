import type { CommandType } from "@factory/schema/command-names";
import { type EventType, eventTypes } from "@factory/schema/event-names";
import type { Principal } from "../auth/principal.js";
import { newId } from "../identifiers/wire-id.js";
import { type Trace, traceparent } from "../telemetry/trace.js";

/** CloudEvents 1.0 structured JSON with the platform's extension attributes: what every message of the bus carries. */
interface Attributes<Data> {
  specversion: "1.0";
  source: string;
  /** `<resource>/<id>` */
  subject: string;
  /** RFC 3339 UTC, time of occurrence. */
  time: string;
  datacontenttype: "application/json";
  /** MAJOR.MINOR */
  schemaversion: string;
  tenantid: string;
  traceparent: string;
  traceid: string;
  correlationid: string;
  causationid?: string;
  /** Messages of one key keep their order; the aggregate id unless said otherwise. */
  partitionkey: string;
  actorid?: string;
  /** The agent that acted for the actor. */
  agentid?: string;
  data: Data;
}

/** What has happened. `sequence` is set when it is published. */
export interface Envelope<Data = Record<string, unknown>> extends Attributes<Data> {
  messagekind: "event";
  /** `evt_…`; equals the bus message id and the `webhook-id` header. */
  id: string;
  type: EventType;
  /** Decimal place in the tenant's event log, unique and ascending; in webhook bodies only. */
  sequence?: string;
}

/** What one subgraph asks another to do for an actor, who had the right to it when it was sent. */
export interface CommandEnvelope<Data = Record<string, unknown>> extends Attributes<Data> {
  messagekind: "command";
  /** `cmd_…`; equals the bus message id and the idempotency key of its handling. */
  id: string;
  type: CommandType;
  actorid: string;
}

export type Message = Envelope | CommandEnvelope;

export interface NewEvent {
  type: EventType;
  /** `<resource>/<id>` */
  subject: string;
  partitionKey?: string;
  /** The tenant that sees the event, where it is not the one that writes it. */
  tenantId?: string;
  data: Record<string, unknown>;
}

/** Who and what caused a message. */
export interface Cause {
  trace: Trace;
  correlationId?: string | undefined;
  causationId?: string | undefined;
  actorId?: string | undefined;
  /** What the actor may do; commands ask for it. */
  actorScopes?: ReadonlySet<string> | undefined;
  /** As whom the actor came, where a token is behind it. */
  principal?: Principal | undefined;
}

export function createEvent(event: NewEvent, tenantId: string, cause: Cause): Envelope {
  return {
    messagekind: "event",
    id: newId("evt"),
    type: event.type,
    ...attributes(event, `/${eventTypes[event.type].source}`, tenantId, cause),
    ...(cause.actorId === undefined ? {} : { actorid: cause.actorId }),
  };
}

type NewMessage = Pick<NewEvent, "subject" | "partitionKey" | "data">;

/** Of a message that is written now; who is behind it is for its kind to say. */
export function attributes(
  message: NewMessage,
  source: string,
  tenantId: string,
  cause: Cause,
): Attributes<Record<string, unknown>> {
  const { subject, partitionKey, data } = message;
  const agentId = cause.principal?.actors?.[0];
  return {
    specversion: "1.0",
    source,
    subject,
    time: new Date().toISOString(),
    datacontenttype: "application/json",
    schemaversion: "1.0",
    tenantid: tenantId,
    traceparent: traceparent(cause.trace),
    traceid: cause.trace.traceId,
    correlationid: cause.correlationId ?? cause.trace.traceId,
    ...(cause.causationId === undefined ? {} : { causationid: cause.causationId }),
    ...(agentId === undefined ? {} : { agentid: agentId }),
    partitionkey: partitionKey ?? subject.slice(subject.indexOf("/") + 1),
    data,
  };
}
