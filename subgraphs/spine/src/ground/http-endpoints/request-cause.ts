import type { IncomingMessage, ServerResponse } from "node:http";
import { originOfRequest } from "@factory/runtime/ingress/client-address";
import type { Cause } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";

interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** The cause for events that this request records: its trace, and the actor. Without a request: the server itself. */
export function causeOf(exchange: Exchange | undefined, actorId = "authorization-server"): Cause {
  const traceparent = exchange?.req.headers["traceparent"];
  const trace = continueTrace(typeof traceparent === "string" ? traceparent : undefined);
  const origin = exchange && originOfRequest(exchange.req);
  const answeredTraceId = exchange?.res.getHeader("x-trace-id");
  return {
    trace: typeof answeredTraceId === "string" ? { ...trace, traceId: answeredTraceId } : trace,
    actorId,
    origin,
  };
}
