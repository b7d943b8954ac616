import { contextOf, type KeptCommand } from "@factory/runtime/commands/command-context";
import { type CommandRefusals, isRefusal } from "@factory/runtime/commands/command-refusals";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import type { JobEnd, JobOwner } from "@factory/runtime/jobs/definitions/job-definition";
import type { JobDefinition, JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { CommandEnvelope } from "@factory/runtime/messages/envelope";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { type ErrorCode, errorCodes } from "@factory/schema/error-codes";
import type { ImportLibraryPackageInput } from "../libraries/library.input.js";
import type { LibraryImportService } from "../libraries/library-import.service.js";
import { checkedData } from "./command-data.js";

interface ImportPayload {
  readonly tenantId: string;
  readonly command: KeptCommand;
  readonly input: ImportLibraryPackageInput;
}

/** The job that imports one package. A download has 30 s. */
export const importPackageJob: JobDefinition<ImportPayload> = {
  queue: "import-package",
  retryLimit: 4,
  retryDelaySeconds: 2,
  retryBackoff: true,
  expireInSeconds: 120,
  concurrency: 4,
  concurrencyPerTenant: 2,
  fair: true,
};

interface ImportServices {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly imports: LibraryImportService;
  readonly refusals: CommandRefusals;
}

/**
 * Executes the command ImportLibraryPackage. Imports wait for foreign servers, so each runs as a job and does not delay
 * other commands.
 */
export class ImportCommandService implements JobOwner<ImportPayload> {
  readonly #services: ImportServices;

  constructor(services: ImportServices) {
    this.#services = services;
  }

  /** Sends one job for a command, even if it is delivered several times. */
  async accept(command: CommandEnvelope): Promise<void> {
    const { sourceRef, libraryId = null } = checkedData("ImportLibraryPackage", command.data);
    const { id, type, tenantid, actorid, correlationid, partitionkey, traceparent } = command;
    const kept = { id, type, tenantid, actorid, correlationid, partitionkey, traceparent };
    const payload = { tenantId: tenantid, command: kept, input: { sourceRef, libraryId } };
    await idempotentMutation(this.#services.database, contextOf(command), {
      field: "acceptCommand",
      arguments: { commandId: id },
      // the import itself writes the record
      audit: false,
      commit: async (transaction) => {
        await this.#services.jobs.send(transaction, importPackageJob, payload);
        return null;
      },
    });
  }

  async run({ command, input }: ImportPayload): Promise<void> {
    const { imports, refusals } = this.#services;
    if (await refusals.wasRefused(command)) return;
    try {
      await imports.importPackage(contextOf(command), input);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await refusals.report(command, error.code, error.facts.detail);
    }
  }

  /** Reports the code alone, since the message of a bug is only for the log. */
  async abandoned({ command }: ImportPayload, { code }: JobEnd): Promise<void> {
    await this.#services.refusals.report(command, isKnown(code) ? code : "INTERNAL");
  }
}

function isKnown(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(errorCodes, code);
}
