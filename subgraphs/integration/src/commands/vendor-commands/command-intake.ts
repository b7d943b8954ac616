import { type BusMessage, type CommandConsumer, UnreadableMessage } from "@factory/runtime/bus/bus";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { checkedCommandData } from "@factory/runtime/messages/command-data";
import type { Cause, CommandEnvelope } from "@factory/runtime/messages/envelope";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { commandsOf } from "@factory/schema/command-names";
import { type ErrorCode, errorCodes } from "@factory/schema/error-codes";
import type { VendorCommandType } from "../../providers/provider-drivers/command-template.js";
import type { RunService } from "../../runs/run.service.js";
import { recordRejection } from "./command-answers.js";
import type { CommandConnections } from "./command-connections.js";
import { completedData } from "./completed-data.js";
import { repeatedFacts } from "./payments/payment-data.js";
import type { PaymentRecords } from "./payments/payment-records.js";
import type { StoredCommands } from "./stored-commands.js";

interface Services {
  readonly database: Database;
  readonly rows: StoredCommands;
  readonly payments: PaymentRecords;
  readonly connections: CommandConnections;
  readonly runs: RunService;
  readonly logger: Logger;
}

/** A command that can be carried out. */
interface Acceptable {
  readonly connectionId: string;
  readonly providerId: string;
  readonly projectId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly expiresAt: Date | null;
}

/** Accepts the commands to vendors from the bus: each one starts a run, once, or is rejected, once. */
export class CommandIntake implements CommandConsumer {
  readonly group = "integration.commands";
  readonly kind = "command";
  readonly types = commandsOf("integration");
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  async handle(messages: readonly BusMessage<CommandEnvelope>[]): Promise<void> {
    for (const { envelope } of messages) await this.#take(envelope);
  }

  /** Throws where the command may be acceptable later; the bus delivers it again then. */
  async #take(command: CommandEnvelope): Promise<void> {
    const tenant = tenantOf(command);
    if (await this.#services.rows.isKnown(tenant, command.id)) return;
    // the bus delivers only the types for this consumer
    const type = command.type as VendorCommandType;
    const checkedCommand = await this.#check(tenant, type, command).catch((error: unknown) => {
      if (!isRejection(error)) throw error;
      return error;
    });
    if (checkedCommand instanceof DomainError) await this.#reject(tenant, type, command, checkedCommand);
    else await this.#accept(tenant, type, command, checkedCommand);
  }

  async #check(tenant: Tenant, type: VendorCommandType, command: CommandEnvelope): Promise<Acceptable> {
    const { expirytime } = command;
    const expiresAt = expirytime === undefined ? null : new Date(expirytime);
    if (expiresAt && !(expiresAt.getTime() > Date.now()))
      throw new DomainError("COMMAND_EXPIRED", { detail: "The expirytime of the command has passed." });
    const data = checkedCommandData(type, command.data);
    const chosenId = data["connectionId"] ?? (await this.#connectionOfPayment(tenant, type, data));
    const { connection } = await this.#services.connections.choose(tenant, type, chosenId);
    const { connectionId, providerId, projectId } = connection;
    return { connectionId, providerId, projectId, data: completedData(type, data, connection), expiresAt };
  }

  /** A refund goes back the way by which its payment came. */
  async #connectionOfPayment(
    tenant: Tenant,
    type: VendorCommandType,
    { paymentRef }: Readonly<Record<string, unknown>>,
  ): Promise<string | undefined> {
    if (type !== "RefundPayment" || typeof paymentRef !== "string") return undefined;
    return this.#services.payments.connectionOf(tenant, paymentRef);
  }

  async #accept(
    tenant: Tenant,
    type: VendorCommandType,
    command: CommandEnvelope,
    { connectionId, providerId, projectId, data, expiresAt }: Acceptable,
  ): Promise<void> {
    const { database, rows, runs } = this.#services;
    const { id: commandId } = command;
    await database.transaction(tenant, causeOf(command), async (transaction) => {
      const row = { commandId, type, status: "Accepted", connectionId, providerId, data, expiresAt } as const;
      if (!(await rows.insert(transaction, row))) return;
      const payload = { commandId, facts: repeatedFacts(type, data) };
      const run = { operation: type, connectionId, projectId, payload };
      const { runId } = await runs.startIn(transaction, run);
      await rows.noteRun(transaction, commandId, runId);
      transaction.audit({ operation: type, subject: `commands/${commandId}` });
    });
  }

  async #reject(
    tenant: Tenant,
    type: VendorCommandType,
    command: CommandEnvelope,
    { code, message: detail }: DomainError,
  ): Promise<void> {
    const { database, rows, logger } = this.#services;
    const { id: commandId } = command;
    const cause = causeOf(command);
    await database.transaction(tenant, cause, async (transaction) => {
      const row = { commandId, type, status: "Rejected", errorCode: code } as const;
      if (!(await rows.insert(transaction, row))) return;
      recordRejection(transaction, { commandId, type }, { code, detail }, cause);
      const status = errorCodes[code].status ?? 409;
      transaction.audit({ operation: type, outcome: "Refused", code, status, subject: `commands/${commandId}` });
    });
    logger.info({ commandId, command: type, code, tenantId: command.tenantid }, "command rejected");
  }
}

/** Throws UnreadableMessage without tenant or actor, since a rejection could not be reported to them. */
function tenantOf({ id, tenantid, actorid }: CommandEnvelope): Tenant {
  const isNamed = decodeId("ten", tenantid) !== undefined && typeof actorid === "string" && actorid !== "";
  if (!isNamed || decodeId("cmd", id) === undefined)
    throw new UnreadableMessage(`The command ${id} has no valid id, tenantid or actorid`);
  return tenantWithId(tenantid);
}

const causeOf = ({ id, traceparent, correlationid, actorid }: CommandEnvelope): Cause => ({
  trace: continueTrace(traceparent),
  correlationId: correlationid,
  causationId: id,
  actorId: actorid,
});

/** Outages and bugs are no rejections. */
function isRejection(error: unknown): error is DomainError {
  const codes: Readonly<Record<ErrorCode, { readonly status: number | null }>> = errorCodes;
  return error instanceof DomainError && (codes[error.code].status ?? 409) < 500;
}
