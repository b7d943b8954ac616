import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { createCommand } from "@factory/runtime/messages/command";
import type { CommandEnvelope } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type CommandType, commandTypes } from "@factory/schema/command-names";
import { rows } from "./database.js";

/** Writes a command to the spine's outbox, from where it is relayed to the bus. */
export async function sentCommand(
  tenantId: string,
  type: CommandType,
  data: Record<string, unknown>,
): Promise<CommandEnvelope> {
  const cause = {
    trace: continueTrace(undefined),
    actorId: newId("cli"),
    actorScopes: new Set(commandTypes[type].scopes),
  };
  const command = createCommand({ type, subject: "versions/test", data }, "spine", tenantId, cause);
  await rows("insert into spine.outbox (id, tenant_id, type, envelope) values ($1, $2, $3, $4)", [
    decodeId("cmd", command.id),
    decodeId("ten", tenantId),
    type,
    JSON.stringify(command),
  ]);
  return command;
}
