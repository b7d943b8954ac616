import { namedStatement } from "@factory/runtime/db/named-parameters";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { lockedConnection } from "../../../connections/connections/locked-connection.js";
import { refuseAgents } from "../../../providers/agent-access/agent-access.js";
import type { AcceptToolDefinitionInput } from "./acceptance.input.js";
import type { AcceptedToolType } from "./acceptance.type.js";

/** Accepts only the definition that the caller names, so that a newer one is not accepted unread. */
const accept = namedStatement(
  "tool_accept",
  `with known as materialized (
      select accepted_hash from tools
      where tenant_id = $tenant and connection_id = $connection and name = $name and definition_hash = $hash
        and position is not null
      for no key update)
    update tools set accepted_hash = $hash from known
    where tenant_id = $tenant and connection_id = $connection and name = $name
    returning known.accepted_hash as former_hash`,
);

const current = {
  name: "tool_current",
  text: `select definition_hash, accepted_hash from tools
    where tenant_id = $1 and connection_id = $2 and name = $3 and position is not null`,
};

/** Accepts tool definitions that a server has changed. */
export class AcceptanceService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Throws CONNECTION_NOT_FOUND, TOOL_NOT_FOUND, TOOL_DEFINITION_CHANGED for another hash, and SELF_APPROVAL for agents. */
  accept(context: RequestContext, connectionId: string, input: AcceptToolDefinitionInput): Promise<AcceptedToolType> {
    refuseAgents(
      principalOf(context),
      "An agent may not accept the changed definition of a tool. A person or a service has to do it.",
    );
    const { toolName, definitionHash } = input;
    return idempotentMutation(this.#database, context, {
      field: "acceptToolDefinition",
      arguments: { connectionId, input },
      commit: async (transaction) => {
        const { projectId } = await lockedConnection(transaction, connectionId);
        const { execute, record, tenant } = transaction;
        const connection = decodeId("con", connectionId);
        const values = accept.valuesOf({ tenant: tenant.uuid, connection, name: toolName, hash: definitionHash });
        const [acceptedRow] = await execute<{ former_hash: string }>(accept, values);
        if (acceptedRow) {
          const { former_hash: formerHash } = acceptedRow;
          const data = { connectionId, toolName, definitionHash, formerHash };
          if (formerHash !== definitionHash)
            record({ type: "ToolDefinitionAccepted", subject: `connections/${connectionId}`, projectId, data });
          return { connectionId, toolName, definitionHash };
        }
        const [currentRow] = await execute<{ definition_hash: string; accepted_hash: string }>(current, [
          tenant.uuid,
          connection,
          toolName,
        ]);
        if (currentRow) throw otherDefinition(currentRow);
        throw new DomainError("TOOL_NOT_FOUND", {
          detail: "The newest list of the connection's server does not have a tool with this name.",
        });
      },
    });
  }
}

const otherDefinition = (currentRow: { definition_hash: string; accepted_hash: string }) =>
  new DomainError("TOOL_DEFINITION_CHANGED", {
    detail:
      "The server lists another definition of the tool than the one to be accepted. Read it, then accept its hash.",
    definitionHash: currentRow.definition_hash,
    acceptedHash: currentRow.accepted_hash,
  });
