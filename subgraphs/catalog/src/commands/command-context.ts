import type { Principal } from "@factory/runtime/auth/principal";
import { UnreadableMessage } from "@factory/runtime/bus/bus";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CommandEnvelope } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type RequestContext, requestContext } from "@factory/runtime/tenancy/request-context";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { commandTypes } from "@factory/schema/command-names";

/** The members of a command that its handling needs. */
export type KeptCommand = Pick<
  CommandEnvelope,
  "id" | "type" | "tenantid" | "actorid" | "correlationid" | "traceparent" | "partitionkey"
>;

/** A refusal is told to the tenant and the actor of the command, so both must be there. */
export function tenantOfCommand({ tenantid, actorid, id }: KeptCommand): Tenant {
  const uuid = decodeId("ten", tenantid);
  if (uuid === undefined || typeof actorid !== "string" || actorid === "")
    throw new UnreadableMessage(`The command ${id} names no tenant or no actor`);
  return { tenantId: tenantid, uuid };
}

/** The actor's scopes were checked where the command was sent: here it has those of its command and no other. */
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
