import { type CommandType, commandTypes } from "@factory/schema/command-names";
import type { SubgraphName } from "@factory/schema/subgraph-names";
import { requireAgentApproval } from "../auth/agent-approval.js";
import { DomainError } from "../errors/domain-error.js";
import { newId } from "../identifiers/wire-id.js";
import { attributes, type Cause, type CommandEnvelope } from "./envelope.js";

export interface NewCommand {
  type: CommandType;
  /** `<resource>/<id>` of what it is about. */
  subject: string;
  partitionKey?: string;
  /** As `schema/commands/<type>.schema.json` describes it. */
  data: Record<string, unknown>;
}

/** The last place where the actor's scopes are known: who handles the command takes them from the table. */
export function createCommand(
  command: NewCommand,
  producer: SubgraphName,
  tenantId: string,
  cause: Cause,
): CommandEnvelope {
  const { actorId, actorScopes } = cause;
  const { scopes } = commandTypes[command.type];
  if (actorId === undefined) throw new Error(`The command ${command.type} was sent without an actor`);
  if (!scopes.every((scope) => actorScopes?.has(scope)))
    throw new DomainError("INSUFFICIENT_SCOPE", {
      detail: `The command ${command.type} needs all of these scopes: ${scopes.join(", ")}.`,
      requiredScopes: scopes,
    });
  if (cause.principal) requireAgentApproval(cause.principal, scopes);
  return {
    messagekind: "command",
    id: newId("cmd"),
    type: command.type,
    ...attributes(command, `/${producer}`, tenantId, cause),
    actorid: actorId,
  };
}
