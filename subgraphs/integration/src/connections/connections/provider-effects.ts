import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { ProviderMoveListener } from "../../providers/providers/provider-move-listeners.js";
import type { ConnectionState } from "./connection.states.js";
import type { ConnectionRow } from "./connection.view.js";

const countLive = {
  name: "connections_of_provider_count",
  text: `select count(*)::int as count from connections
    where tenant_id = $1 and provider_id = $2 and status <> 'Deleted'`,
};

/** Locks in id order, so that two such statements cannot wait for each other. */
const disable = {
  name: "connections_of_provider_disable",
  text: `with stopped as materialized (
      select connection_id, status from connections
      where tenant_id = $1 and provider_id = $2 and status in ('Active', 'Suspended')
      order by connection_id for no key update
    )
    update connections connection set status = 'Disabled', status_reason = $3, next_probe_at = null,
      version = connection.version + 1
    from stopped where connection.tenant_id = $1 and connection.connection_id = stopped.connection_id
    returning connection.connection_id, connection.project_id, stopped.status as previous_status`,
};

type DisabledRow = Pick<ConnectionRow, "connection_id" | "project_id"> & { previous_status: ConnectionState };

/**
 * A provider with connections cannot be retired. Disabling a provider disables its connections in the same transaction:
 * a tenant has at most 1,000.
 */
export const followProvider: ProviderMoveListener = async ({ execute, record, tenant }, { providerId, to }) => {
  const provider = [tenant.uuid, decodeId("prv", providerId)];
  if (to === "Retired") {
    const [countRow] = await execute<{ count: number }>(countLive, provider);
    if (countRow && countRow.count > 0) throw stillUsed(countRow.count);
  }
  if (to !== "Disabled") return;
  const reason = "The provider was disabled.";
  for (const row of await execute<DisabledRow>(disable, [...provider, reason])) {
    const connectionId = encodeId("con", row.connection_id);
    const { project_id: projectId, previous_status: previousStatus } = row;
    record({
      type: "ConnectionDisabled",
      subject: `connections/${connectionId}`,
      projectId,
      data: { connectionId, providerId, status: "Disabled", previousStatus, reason, runId: null, projectId },
    });
  }
};

const stillUsed = (connections: number) =>
  new DomainError("CONFLICT", {
    detail:
      connections === 1
        ? "The provider has 1 connection. Delete it before you retire the provider."
        : `The provider has ${connections} connections. Delete them before you retire the provider.`,
    connections,
  });
