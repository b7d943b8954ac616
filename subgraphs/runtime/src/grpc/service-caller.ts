import type { ServerHttp2Session } from "node:http2";
import {
  Metadata,
  ResponderBuilder,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  ServerListenerBuilder,
} from "@grpc/grpc-js";
import { DomainError } from "../errors/domain-error.js";
import type { Logger } from "../telemetry/logger.js";
import type { CallRefusals } from "./call-refusals.js";
import { DirectCall, type DirectRoute } from "./direct-call.js";
import { detailsKey, toWireStatus } from "./error-status.js";
import type { ServerSessions } from "./server-sessions.js";
import { callerKey, identityOf, type ServiceIdentity } from "./service-identity.js";

/** The allowed callers by a gRPC service's full name. A service that is not listed cannot be called. */
type AllowedCallers = ReadonlyMap<string, readonly ServiceIdentity[]>;

/**
 * Refuses callers by their certificate before a message is read. The TLS handshake only proves that the authority is
 * the platform's. Calls to direct methods are answered here, and all others by nice-grpc. The sessions get each session
 * with its first call.
 */
export function callerCheck(
  allowedCallers: AllowedCallers,
  logger: Logger,
  direct: readonly DirectRoute[],
  refusals: CallRefusals,
  sessions: ServerSessions,
): ServerInterceptor {
  const routes = new Map(direct.map((route) => [route.path, route]));
  return ({ path }, call) => {
    const service = path.split("/")[1] ?? "";
    const caller = callerOf(call, sessions);
    const isPermitted = caller !== undefined && (allowedCallers.get(service)?.includes(caller) ?? false);
    const route = isPermitted ? routes.get(path) : undefined;
    if (isPermitted && route)
      return new ServerInterceptingCall(call, {
        // nice-grpc's listener is left out: the call is answered here.
        start: () => call.start(new DirectCall(call, caller, route, refusals)),
      });
    const listener = new ServerListenerBuilder().withOnReceiveMetadata((metadata, next) => {
      if (isPermitted) {
        metadata.set(callerKey, caller);
        next(metadata);
        return;
      }
      logger.warn({ service, caller, peer: call.getPeer() }, "a caller was refused");
      refuse(call, service, caller);
    });
    return new ServerInterceptingCall(call, new ResponderBuilder().withStart((next) => next(listener.build())).build());
  };
}

/** The connections' identities. A connection keeps its certificate, and reading it takes longer than a call. */
const identities = new WeakMap<object, { readonly identity: ServiceIdentity | undefined }>();

/** The identity in the connection's certificate. */
function callerOf(call: ServerInterceptingCallInterface, sessions: ServerSessions): ServiceIdentity | undefined {
  const session = sessionOf(call);
  const knownIdentity = session && identities.get(session);
  if (knownIdentity) return knownIdentity.identity;
  const identity = identityOf(call.getAuthContext().sslPeerCertificate);
  if (session) {
    identities.set(session, { identity });
    sessions.add(session);
  }
  return identity;
}

/** A call's HTTP/2 session, which grpc-js does not expose; undefined if its classes have changed. */
function sessionOf(call: ServerInterceptingCallInterface): ServerHttp2Session | undefined {
  const { stream } = call as { readonly stream?: { readonly session?: ServerHttp2Session } };
  return stream?.session;
}

function refuse(call: ServerInterceptingCallInterface, service: string, caller: ServiceIdentity | undefined): void {
  const refusal =
    caller === undefined
      ? new DomainError("UNAUTHENTICATED", {
          detail:
            "The client certificate does not name a service of this platform. Use a certificate that the platform has issued.",
        })
      : new DomainError("INSUFFICIENT_SCOPE", { detail: `The service "${caller}" is not allowed to call ${service}.` });
  const { code, message, details } = toWireStatus(refusal);
  const metadata = new Metadata();
  metadata.set(detailsKey, Buffer.from(details));
  call.sendStatus({ code: Number(code), details: message, metadata });
}
