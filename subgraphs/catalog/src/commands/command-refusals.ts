import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { type ErrorCode, errorCodes } from "@factory/schema/error-codes";
import { contextOf, type KeptCommand, tenantOfCommand } from "./command-context.js";

const refusalField = "refuseCommand";

const refusedBefore = tenantStatement(
  "command_refused_before",
  `select key from idempotency_records
   where tenant_id = scope.tenant and principal = $2 and field = '${refusalField}' and key = $3`,
);

/** Errors that are temporary, such as another delivery of the command in progress. */
const temporaryCodes = new Set<ErrorCode>(["IDEMPOTENCY_IN_PROGRESS", "RATE_LIMITED"]);

/** Whether an error is final. Outages, temporary errors and bugs are not, so the command is delivered again. */
export function isRefusal(error: unknown): error is DomainError {
  if (!(error instanceof DomainError) || temporaryCodes.has(error.code)) return false;
  return (errorCodes[error.code].status ?? 409) < 500;
}

/** Reports refused commands by the event CommandRefused. */
export class CommandRefusals {
  readonly #database: Database;
  readonly #logger: Logger;

  constructor(database: Database, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
  }

  /** Whether the command was refused before. A refusal is final, even if the command could succeed now. */
  async wasRefused(command: KeptCommand): Promise<boolean> {
    const { reader } = this.#database;
    return (await reader.row(refusedBefore, tenantOfCommand(command), command.actorid, command.id)) !== undefined;
  }

  /** Records CommandRefused, once for each command. */
  async report(command: KeptCommand, code: ErrorCode, detail: string = errorCodes[code].title): Promise<void> {
    const { id: commandId, type, partitionkey } = command;
    await idempotentMutation(this.#database, contextOf(command), {
      field: refusalField,
      arguments: { commandId },
      audit: { operation: type, outcome: "Refused", code, status: errorCodes[code].status ?? 409 },
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
