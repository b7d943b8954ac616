import { PostgresBus } from "@factory/runtime/bus/postgres-bus";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import type { Cause, CommandEnvelope, Envelope } from "@factory/runtime/messages/envelope";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { Database } from "@factory/runtime/unit-of-work/database";
import { type CommandType, commandTypes } from "@factory/schema/command-names";
import type { EventType } from "@factory/schema/event-names";
import type { SubgraphName } from "@factory/schema/subgraph-names";
import { databaseAccess, rows } from "./database.js";

interface Reaction {
  readonly tenantId: string;
  /** The event that is answered with a command. */
  readonly on: EventType;
  readonly command: CommandType;
  readonly data: Record<string, unknown>;
  /** The events that answer the command. */
  readonly answers: readonly EventType[];
}

/** Consumes events as a subgraph does, and sends commands through that subgraph's outbox. */
export interface CommandSender {
  readonly events: readonly Envelope[];
  readonly sent: readonly CommandEnvelope[];
  /** The events whose cause is a command that was sent. */
  readonly answers: readonly Envelope[];
  close(): Promise<void>;
}

/** Starts a sender in the subgraph: each event in the tenant becomes a command that the event has caused. */
export async function aCommandSender(subgraph: SubgraphName, reaction: Reaction): Promise<CommandSender> {
  const logger = createLogger("sender", "silent");
  const connections = schemaConnections(await databaseAccess(), subgraph);
  const [database, bus] = await Promise.all([
    Database.open({ connections, entities: [], migrations: [] }, logger),
    PostgresBus.open(connections.worker, logger),
  ]);
  const group = `test.${subgraph}.${reaction.tenantId}`;
  const [events, sentCommands, answers]: [Envelope[], CommandEnvelope[], Envelope[]] = [[], [], []];
  const { tenantId, on, command: type, data, answers: answerTypes } = reaction;
  const react = async (event: Envelope) => {
    const cause: Cause = {
      ...{ trace: continueTrace(event.traceparent), correlationId: event.correlationid, causationId: event.id },
      ...{ actorId: "system", actorScopes: new Set(commandTypes[type].scopes) },
    };
    const command = await database.transaction(tenantWithId(tenantId), cause, async ({ send }) =>
      send({ type, subject: event.subject, data }),
    );
    events.push(event);
    sentCommands.push(command);
  };
  await bus.subscribe({
    group,
    types: [on, ...answerTypes],
    async handle(messages) {
      for (const { envelope } of messages.filter((message) => message.envelope.tenantid === tenantId))
        if (envelope.type === on) await react(envelope);
        else if (sentCommands.some(({ id }) => id === envelope.causationid)) answers.push(envelope);
    },
  });
  return {
    ...{ events, sent: sentCommands, answers },
    async close() {
      await bus.close();
      await database.close();
      await rows("delete from bus.consumers where name = $1", [group]);
    },
  };
}
