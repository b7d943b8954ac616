import { DomainError } from "@factory/runtime/errors/domain-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { ConnectionService } from "../../connections/connections/connection.service.js";
import type { ConnectionRecord } from "../../connections/connections/connection.view.js";
import { unknownConnection } from "../../connections/connections/locked-connection.js";
import { requireUsableConnection, requireUsableProvider } from "../../connections/vendor-calls/usable-target.js";
import type { ProviderService } from "../../providers/providers/provider.service.js";

interface Services {
  readonly connections: ConnectionService;
  readonly providers: ProviderService;
}

type Capability = "tools.list" | "tools.invoke";

/**
 * The tenant's connection, whose provider must have the capability. Throws CONNECTION_NOT_FOUND, CAPABILITY_MISSING,
 * and INVALID_STATE when the connection or its provider was stopped.
 */
export async function callableConnection(
  { connections, providers }: Services,
  tenant: Tenant,
  connectionId: string,
  capability: Capability,
): Promise<ConnectionRecord> {
  const connection = await connections.record(tenant, connectionId);
  if (!connection) throw unknownConnection();
  const provider = requireUsableProvider(await providers.record(tenant, connection.providerId));
  requireUsableConnection(connection, "tool");
  if (!provider.capabilities.includes(capability))
    throw new DomainError("CAPABILITY_MISSING", {
      detail: `The provider of the connection does not have the capability ${capability}. Add it to the provider, or use another connection.`,
    });
  return connection;
}

/** The tenant for a caller who may use tools: an agent's token must be bound to a task. */
export function tenantOfToolCaller(context: RequestContext): Tenant {
  const { principalType, agentTaskId } = principalOf(context);
  if (principalType === "Agent" && agentTaskId === undefined)
    throw new DomainError("AGENT_TASK_MISMATCH", {
      detail:
        "An agent may use tools only with a token that is bound to a task. Exchange the token with agent_task_id.",
    });
  return tenantOf(context);
}
