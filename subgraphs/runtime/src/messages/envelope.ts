import type { CommandType } from "@factory/schema/command-names";
import { type EventType, eventTypes, schemaVersion } from "@factory/schema/event-names";
import type { Principal } from "../auth/principal.js";
import { newId } from "../identifiers/wire-id.js";
import { type Trace, traceparent } from "../telemetry/trace.js";
import type { AuditRecord, Origin } from "./audit-record.js";

/**
 * The attributes that every bus message has: CloudEvents 1.0 in structured JSON, with the platform's extension
 * attributes.
 */
interface Attributes<Data> {
  specversion: "1.0";
  source: string;
  /** `<resource>/<id>` */
  subject: string;
  /** When the event happened or the command was sent (RFC 3339, UTC). */
  time: string;
  datacontenttype: "application/json";
  /** MAJOR.MINOR */
  schemaversion: string;
  tenantid: string;
  traceparent: string;
  traceid: string;
  correlationid: string;
  causationid?: string;
  /** The subject's project, where it belongs to one. */
  projectid?: string;
  /** Messages with the same key keep their order. Default: the ID in the subject. */
  partitionkey: string;
  actorid?: string;
  /** The agent that acted for the actor. */
  agentid?: string;
  data: Data;
}

/** An event: something that has happened. */
export interface Envelope<Data = Record<string, unknown>> extends Attributes<Data> {
  messagekind: "event";
  /** `evt_…`; also the bus message's ID and the header `webhook-id`. */
  id: string;
  type: EventType;
  /** True in an example, which is about nothing that exists. */
  test?: true;
  /** The decimal position in the tenant's event log, unique and ascending; present in webhook bodies only. */
  sequence?: string;
}

/** A command: one subgraph asks another to act for an actor. The actor's scopes were checked when it was sent. */
export interface CommandEnvelope<Data = Record<string, unknown>> extends Attributes<Data> {
  messagekind: "command";
  /** `cmd_…`; also the bus message's ID and the idempotency key under which it is handled. */
  id: string;
  type: CommandType;
  actorid: string;
  /** RFC 3339, UTC. After this time the command is not carried out any more. */
  expirytime?: string;
}

/** A message on the bus. */
export type Message = Envelope | CommandEnvelope | AuditRecord;

/** An event to be recorded. */
export interface NewEvent {
  type: EventType;
  /** `<resource>/<id>` */
  subject: string;
  partitionKey?: string;
  /** The subject's project, as its owner names it. */
  projectId?: string | null;
  /** The tenant that sees the event, where it differs from the transaction's tenant. */
  tenantId?: string;
  data: Record<string, unknown>;
}

/** The actor, trace and message that caused a message. */
export interface Cause {
  trace: Trace;
  correlationId?: string | undefined;
  causationId?: string | undefined;
  actorId?: string | undefined;
  /** The actor's scopes; required for commands. */
  actorScopes?: ReadonlySet<string> | undefined;
  /** The actor's principal, where the cause is a request with a token. */
  principal?: Principal | undefined;
  /** The client address and user agent, for the audit log only. */
  origin?: Origin | undefined;
}

/** Creates the envelope for a tenant's event, with a new ID and the current time. */
export function createEvent(event: NewEvent, tenantId: string, cause: Cause): Envelope {
  return {
    messagekind: "event",
    id: newId("evt"),
    type: event.type,
    ...attributes(event, `/${eventTypes[event.type].source}`, tenantId, cause),
    ...(cause.actorId === undefined ? {} : { actorid: cause.actorId }),
  };
}

type NewMessage = Pick<NewEvent, "subject" | "partitionKey" | "projectId" | "data">;

/** The attributes that events and commands share. The actor is added for each kind. */
export function attributes(
  message: NewMessage,
  source: string,
  tenantId: string,
  cause: Cause,
): Attributes<Record<string, unknown>> {
  const { subject, partitionKey, projectId, data } = message;
  const agentId = cause.principal?.actors?.[0];
  return {
    specversion: "1.0",
    source,
    subject,
    time: new Date().toISOString(),
    datacontenttype: "application/json",
    schemaversion: schemaVersion,
    tenantid: tenantId,
    traceparent: traceparent(cause.trace),
    traceid: cause.trace.traceId,
    correlationid: cause.correlationId ?? cause.trace.traceId,
    ...(cause.causationId === undefined ? {} : { causationid: cause.causationId }),
    ...(projectId == null ? {} : { projectid: projectId }),
    ...(agentId === undefined ? {} : { agentid: agentId }),
    partitionkey: partitionKey ?? subject.slice(subject.indexOf("/") + 1),
    data,
  };
}
