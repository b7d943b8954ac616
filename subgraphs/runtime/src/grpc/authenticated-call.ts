import type { Scope } from "@factory/schema/scopes";
import { ambiguous, authenticateWith, type Verifier } from "../auth/authenticate.js";
import { authorize } from "../graphql/guard.js";
import { type RequestContext, requestContext } from "../tenancy/request-context.js";
import type { ServiceCallContext } from "./call-boundary.js";

/**
 * Runs a call for the holder of the access token in its metadata, who must hold each of the scopes: a service of the
 * platform calls, but what it may do is what its own caller may.
 */
export async function authenticatedCall<T>(
  call: ServiceCallContext,
  verifier: Verifier,
  scopes: readonly Scope[],
  work: (context: RequestContext) => Promise<T>,
): Promise<T> {
  const principal = await authenticateWith(verifier, single(call, "authorization"), single(call, "x-tenant-id"));
  const idempotencyKey = single(call, "idempotency-key");
  const context = requestContext({ principal, trace: call.trace, idempotencyKey });
  for (const scope of scopes) authorize({ scopes: [scope] }, context);
  const result = await work(context);
  if (context.replayed) call.trailer.set("idempotent-replayed", "true");
  return result;
}

function single({ metadata }: ServiceCallContext, name: string): string | undefined {
  const [value, ...more] = metadata.getAll(name);
  if (more.length > 0) throw ambiguous(name);
  return value === undefined ? undefined : value.toString();
}
