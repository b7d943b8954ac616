import type { Cause, Envelope } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";

/** The cause for an event's consequences. */
export const causeOfEvent = ({ id, traceparent, correlationid, actorid }: Envelope): Cause => ({
  trace: continueTrace(traceparent),
  correlationId: correlationid,
  causationId: id,
  actorId: actorid,
});
