import { contextOf, type KeptCommand } from "@factory/runtime/commands/command-context";
import { type CommandRefusals, isRefusal } from "@factory/runtime/commands/command-refusals";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import type { JobEnd, JobOwner } from "@factory/runtime/jobs/definitions/job-definition";
import type { JobDefinition, JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { CommandEnvelope } from "@factory/runtime/messages/envelope";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { type ErrorCode, errorCodes } from "@factory/schema/error-codes";
import type { ScanDependenciesInput } from "../compatibility/dependency-scans/dependency-scan.input.js";
import type { ImportLibraryPackageInput } from "../libraries/libraries/library.input.js";

/** The payload of a job that executes one command. */
interface CommandPayload<Input> {
  readonly tenantId: string;
  readonly command: KeptCommand;
  readonly input: Input;
}

const limits = {
  retryLimit: 4,
  retryDelaySeconds: 2,
  retryBackoff: true,
  concurrency: 4,
  concurrencyPerTenant: 2,
  fair: true,
} as const;

/** The job that imports one package. A download has 30 s. */
export const importPackageJob: JobDefinition<CommandPayload<ImportLibraryPackageInput>> = {
  queue: "import-package",
  ...limits,
  expireInSeconds: 120,
};

/** The job that scans dependencies. Reading, rendering and resolving have a minute together. */
export const scanDependenciesJob: JobDefinition<CommandPayload<ScanDependenciesInput>> = {
  queue: "scan-dependencies",
  ...limits,
  expireInSeconds: 180,
};

interface CommandJobServices<Input> {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly refusals: CommandRefusals;
  readonly job: JobDefinition<CommandPayload<Input>>;
  /** Checks a command's data. Throws VALIDATION_FAILED. */
  readonly checked: (data: unknown) => Input;
  readonly execute: (context: RequestContext, input: Input) => Promise<unknown>;
}

/**
 * Executes a command that waits for foreign servers or for long calculations. Each runs as a job and does not delay other
 * commands.
 */
export class CommandJob<Input> implements JobOwner<CommandPayload<Input>> {
  readonly #services: CommandJobServices<Input>;

  constructor(services: CommandJobServices<Input>) {
    this.#services = services;
  }

  /** Sends one job for a command, even if it is delivered several times. */
  async accept(command: CommandEnvelope): Promise<void> {
    const { database, jobs, job, checked } = this.#services;
    const { id, type, tenantid, actorid, correlationid, partitionkey, traceparent } = command;
    const storedCommand = { id, type, tenantid, actorid, correlationid, partitionkey, traceparent };
    const payload = { tenantId: tenantid, command: storedCommand, input: checked(command.data) };
    await idempotentMutation(database, contextOf(command), {
      field: "acceptCommand",
      arguments: { commandId: id },
      // the job writes the record when it runs
      audit: false,
      commit: async (transaction) => {
        await jobs.send(transaction, job, payload);
        return null;
      },
    });
  }

  async run({ command, input }: CommandPayload<Input>): Promise<void> {
    const { execute, refusals } = this.#services;
    if (await refusals.wasRefused(command)) return;
    try {
      await execute(contextOf(command), input);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await refusals.report(command, error.code, error.facts.detail);
    }
  }

  /** Reports the code alone, since a bug's message is only for the log. */
  async abandoned({ command }: CommandPayload<Input>, { code }: JobEnd): Promise<void> {
    await this.#services.refusals.report(command, isKnown(code) ? code : "INTERNAL");
  }
}

function isKnown(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(errorCodes, code);
}
