import { type CommandType, commandTypes } from "@factory/schema/command-names";
import type { SubgraphName } from "@factory/schema/subgraph-names";
import { requireAgentApproval } from "../auth/agent-approval.js";
import { DomainError } from "../errors/domain-error.js";
import { newId } from "../identifiers/wire-id.js";
import { attributes, type Cause, type CommandEnvelope } from "./envelope.js";

/** A command to be sent. */
export interface NewCommand {
  type: CommandType;
  /** `<resource>/<id>` for the resource that the command concerns. */
  subject: string;
  partitionKey?: string;
  /** The payload that `schema/commands/<type>.schema.json` describes. */
  data: Record<string, unknown>;
  /** After this time the command is not carried out any more. */
  expiresAt?: Date;
}

/**
 * Creates a command's envelope. Throws INSUFFICIENT_SCOPE or APPROVAL_REQUIRED; the command's handler does not know the
 * actor's scopes and does not check again.
 */
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
    ...(command.expiresAt === undefined ? {} : { expirytime: command.expiresAt.toISOString() }),
  };
}
