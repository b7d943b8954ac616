import type { Scope } from "@factory/schema/scopes";
import { ambiguous, authenticateWith, type Verifier } from "../auth/authenticate.js";
import { DomainError } from "../errors/domain-error.js";
import { authorize } from "../graphql/guard.js";
import { type RequestContext, requestContext } from "../tenancy/request-context.js";
import type { ServiceCallContext } from "./call-boundary.js";
import { type CallMetadata, originOfCall } from "./call-refusals.js";

/**
 * Runs a call for the principal whose access token is in its metadata, and who needs all the scopes. The caller is a
 * platform service, but its own caller's token decides what it may do.
 */
export async function authenticatedCall<T>(
  call: ServiceCallContext,
  verifier: Verifier,
  scopes: readonly Scope[],
  work: (context: RequestContext) => Promise<T>,
): Promise<T> {
  const [authorization, tenant] = [single(call, "authorization"), single(call, "x-tenant-id")];
  const principal = await authenticateWith(verifier, authorization, tenant, call.identify);
  const idempotencyKey = single(call, "idempotency-key");
  const correlationId = correlationOf(call);
  const callContext = { principal, trace: call.trace, idempotencyKey, correlationId };
  const context = requestContext({ ...callContext, ...originOfCall(call) });
  for (const scope of scopes) authorize({ scopes: [scope] }, context);
  const result = await work(context);
  if (context.replayed) call.trailer.set("idempotent-replayed", "true");
  return result;
}

/** Events and runs show the id, so it is a printable ASCII word. */
const correlationForm = /^[\x21-\x7e]{1,128}$/;

function correlationOf(call: ServiceCallContext): string | undefined {
  const id = single(call, "correlation-id");
  if (id === undefined || correlationForm.test(id)) return id;
  throw new DomainError("VALIDATION_FAILED", {
    detail: "The metadata correlation-id must be 1 to 128 printable ASCII characters without spaces.",
  });
}

function single({ metadata }: ServiceCallContext, name: Parameters<CallMetadata["getAll"]>[0]): string | undefined {
  const values = metadata.getAll(name);
  if (values.length > 1) throw ambiguous(name);
  return values[0];
}
