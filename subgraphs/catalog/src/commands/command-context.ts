import type { Principal } from "@factory/runtime/auth/principal";
import { UnreadableMessage } from "@factory/runtime/bus/bus";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CommandEnvelope } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type RequestContext, requestContext } from "@factory/runtime/tenancy/request-context";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { commandTypes } from "@factory/schema/command-names";

/** The members of a command that are stored with its job. */
export type KeptCommand = Pick<
  CommandEnvelope,
  "id" | "type" | "tenantid" | "actorid" | "correlationid" | "traceparent" | "partitionkey"
>;

/**
 * The tenant of a command. Throws UnreadableMessage without tenant or actor, since a refusal could not be reported to
 * them.
 */
export function tenantOfCommand({ tenantid, actorid, id }: KeptCommand): Tenant {
  const uuid = decodeId("ten", tenantid);
  if (uuid === undefined || typeof actorid !== "string" || actorid === "")
    throw new UnreadableMessage(`The command ${id} has no tenantid or no actorid`);
  return { tenantId: tenantid, uuid };
}

/**
 * The request context of a command. The sender checked the scopes of the actor, so the context has exactly the scopes
 * of the command.
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
