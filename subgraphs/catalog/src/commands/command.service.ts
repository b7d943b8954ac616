import type { Principal } from "@factory/runtime/auth/principal";
import { type BusMessage, type CommandConsumer, UnreadableMessage } from "@factory/runtime/bus/bus";
import type { Database } from "@factory/runtime/db/database";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { mutate } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CommandEnvelope } from "@factory/runtime/outbox/envelope";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type RequestContext, requestContext } from "@factory/runtime/tenancy/request-context";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { type CommandType, commandTypes } from "@factory/schema/command-names";
import { errorCodes } from "@factory/schema/error-codes";
import type { Promotions } from "./promotions.js";

const refusalField = "refuseCommand";

const refusedBefore = tenantStatement(
  "command_refused_before",
  `select key from idempotency_records
   where tenant_id = scope.tenant and principal = $2 and field = '${refusalField}' and key = $3`,
);

/** Carries out the commands that the bus brings to the catalog. */
export class CommandService implements CommandConsumer {
  readonly group = "catalog.commands";
  readonly kind = "command";
  readonly types = (Object.keys(commandTypes) as CommandType[]).filter(
    (type) => commandTypes[type].handler === "catalog",
  );
  readonly #database: Database;
  readonly #promotions: Promotions;
  readonly #logger: Logger;

  constructor(database: Database, promotions: Promotions, logger: Logger) {
    this.#database = database;
    this.#promotions = promotions;
    this.#logger = logger;
  }

  /** One after the other: a version is published before the next command deprecates it. */
  async handle(messages: readonly BusMessage<CommandEnvelope>[]): Promise<void> {
    for (const { envelope } of messages) await this.#carryOut(envelope);
  }

  /** What throws here is no refusal: the bus delivers the command again. */
  async #carryOut(command: CommandEnvelope): Promise<void> {
    const tenant = tenantOfCommand(command);
    // a refusal that was told stays true, though the same command might succeed by now
    if (await this.#database.reader.row(refusedBefore, tenant, command.actorid, command.id)) return;
    const context = contextOf(command, tenant);
    try {
      await this.#promotions.carryOut(command.type, context, command.data);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await this.#refuse(context, command, error);
    }
  }

  async #refuse(context: RequestContext, command: CommandEnvelope, { code, facts }: DomainError): Promise<void> {
    const { id: commandId, type, partitionkey } = command;
    const detail = facts.detail ?? errorCodes[code].title;
    await mutate(this.#database, context, {
      field: refusalField,
      arguments: { commandId },
      commit: async ({ record }) => {
        record({
          type: "CommandRefused",
          subject: `commands/${commandId}`,
          partitionKey: partitionkey,
          data: { commandId, command: type, code, detail },
        });
        return null;
      },
    });
    this.#logger.info({ commandId, command: type, code, tenantId: command.tenantid }, "command refused");
  }
}

/** Without a tenant and an actor there is nobody to tell of a refusal. */
function tenantOfCommand({ tenantid, actorid, id }: CommandEnvelope): Tenant {
  const uuid = decodeId("ten", tenantid);
  if (uuid === undefined || typeof actorid !== "string" || actorid === "")
    throw new UnreadableMessage(`The command ${id} names no tenant or no actor`);
  return { tenantId: tenantid, uuid };
}

/** The actor's scopes were checked where the command was sent: here it has those of its command and no other. */
function contextOf(command: CommandEnvelope, { tenantId }: Tenant): RequestContext {
  const { id, type, actorid } = command;
  const principal: Principal = {
    subject: actorid,
    clientId: actorid,
    tenantId,
    tenantSlug: undefined,
    scopes: new Set(commandTypes[type].scopes),
    principalType: "Service",
    platformAdmin: false,
    agentTaskId: undefined,
    roles: [],
    tokenId: id,
    expiresAt: Number.MAX_SAFE_INTEGER,
  };
  const trace = continueTrace(command.traceparent);
  return requestContext({
    principal,
    trace,
    idempotencyKey: id,
    correlationId: command.correlationid,
    causationId: id,
  });
}

/** Final, unlike what does not answer, what another delivery of the command is doing, and bugs. */
function isRefusal(error: unknown): error is DomainError {
  if (!(error instanceof DomainError) || error.code === "IDEMPOTENCY_IN_PROGRESS") return false;
  return (errorCodes[error.code].status ?? 409) < 500;
}
