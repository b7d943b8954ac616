import { commandTypes } from "@factory/schema/command-names";
import type { Principal } from "../auth/principal.js";
import { UnreadableMessage } from "../bus/bus.js";
import { decodeId } from "../identifiers/wire-id.js";
import type { CommandEnvelope } from "../messages/envelope.js";
import { continueTrace } from "../telemetry/trace.js";
import { type RequestContext, requestContext } from "../tenancy/request-context.js";
import type { Tenant } from "../tenancy/tenant.js";

/** The command members that are stored with its job. */
export type KeptCommand = Pick<
  CommandEnvelope,
  "id" | "type" | "tenantid" | "actorid" | "correlationid" | "traceparent" | "partitionkey"
>;

/**
 * A command's tenant. Throws UnreadableMessage without tenant or actor, since a refusal could not be reported to them.
 */
export function tenantOfCommand({ tenantid, actorid, id }: KeptCommand): Tenant {
  const uuid = decodeId("ten", tenantid);
  if (uuid === undefined || typeof actorid !== "string" || actorid === "")
    throw new UnreadableMessage(`The command ${id} has no tenantid or no actorid`);
  return { tenantId: tenantid, uuid };
}

/**
 * A command's request context. The sender checked the actor's scopes, so the context has exactly the command's scopes.
 */
export function contextOf({ id, type, tenantid, actorid, traceparent, correlationid }: KeptCommand): RequestContext {
  const principal: Principal = {
    subject: actorid,
    clientId: actorid,
    tenantId: tenantid,
    tenantSlug: undefined,
    scopes: new Set(commandTypes[type].scopes),
    principalType: "Service",
    platformAdmin: false,
    agentTaskId: undefined,
    roles: [],
    tokenId: id,
    expiresAt: Number.MAX_SAFE_INTEGER,
  };
  const trace = continueTrace(traceparent);
  return requestContext({ principal, trace, idempotencyKey: id, correlationId: correlationid, causationId: id });
}
