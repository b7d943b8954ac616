import type { CommandType } from "@factory/schema/command-names";
import { type ErrorCode, errorCodes } from "@factory/schema/error-codes";
import { tenantStatement } from "../db/tenant-statement.js";
import { DomainError } from "../errors/domain-error.js";
import { idempotentMutation } from "../idempotency/idempotent-mutation.js";
import type { Logger } from "../telemetry/logger.js";
import type { Database, Transaction } from "../unit-of-work/database.js";
import { contextOf, type KeptCommand, tenantOfCommand } from "./command-context.js";

const refusalField = "refuseCommand";

const refusedBefore = tenantStatement(
  "command_refused_before",
  `select key from idempotency_records
   where tenant_id = scope.tenant and principal = $2 and field = '${refusalField}' and key = $3`,
);

/** Errors that are temporary, such as another delivery in progress. */
const temporaryCodes = new Set<ErrorCode>(["IDEMPOTENCY_IN_PROGRESS", "RATE_LIMITED"]);

/** Whether an error is final. Outages, temporary errors and bugs are not, so the command is delivered again. */
export function isRefusal(error: unknown): error is DomainError {
  if (!(error instanceof DomainError) || temporaryCodes.has(error.code)) return false;
  return (errorCodes[error.code].status ?? 409) < 500;
}

/** The event for a refused command, without its type. */
interface CommandRefusal {
  readonly subject: string;
  readonly partitionKey: string;
  readonly data: {
    readonly commandId: string;
    readonly command: CommandType;
    readonly code: ErrorCode;
    readonly detail: string;
  };
}

/** Records a refusal by the event that the subgraph has for it. */
export type RecordRefusal = (transaction: Pick<Transaction, "record">, refusal: CommandRefusal) => void;

/** Reports refused commands by an event. */
export class CommandRefusals {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #record: RecordRefusal;

  constructor(database: Database, logger: Logger, record: RecordRefusal) {
    this.#database = database;
    this.#logger = logger;
    this.#record = record;
  }

  /** Whether the command was refused before. A refusal is final, even if the command could succeed now. */
  async wasRefused(command: KeptCommand): Promise<boolean> {
    const { reader } = this.#database;
    return (await reader.row(refusedBefore, tenantOfCommand(command), command.actorid, command.id)) !== undefined;
  }

  /** Records the refusal, once for each command. */
  async report(command: KeptCommand, code: ErrorCode, detail: string = errorCodes[code].title): Promise<void> {
    const { id: commandId, type, partitionkey } = command;
    await idempotentMutation(this.#database, contextOf(command), {
      field: refusalField,
      arguments: { commandId },
      audit: { operation: type, outcome: "Refused", code, status: errorCodes[code].status ?? 409 },
      commit: async (transaction) => {
        const data = { commandId, command: type, code, detail };
        this.#record(transaction, { subject: `commands/${commandId}`, partitionKey: partitionkey, data });
        return null;
      },
    });
    this.#logger.info({ commandId, command: type, code, tenantId: command.tenantid }, "command refused");
  }
}
