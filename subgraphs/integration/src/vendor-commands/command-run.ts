import { DomainError } from "@factory/runtime/errors/domain-error";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { commandsOf } from "@factory/schema/command-names";
import type { VendorCommandType } from "../provider-drivers/command-template.js";
import type { RunAttempt, RunEnd, RunHandler } from "../runs/run-operations.js";
import { causeOfRun, type RunRecord } from "../runs/run-record.js";
import { recordDone, recordFailure, stateOfFailure } from "./command-answers.js";
import type { CommandConnections } from "./command-connections.js";
import type { StoredCommands } from "./stored-commands.js";
import type { VendorRequests } from "./vendor-requests.js";

interface Services {
  readonly rows: StoredCommands;
  readonly connections: CommandConnections;
  readonly requests: VendorRequests;
}

/** The runs of commands: each attempt asks the vendor once, and the end of the run answers the command. */
export class CommandRun implements RunHandler {
  readonly delaysSeconds = [5, 30, 120, 600];
  readonly timeLimitSeconds = 60;
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  async work(run: RunRecord, { signal, cause }: RunAttempt): Promise<Record<string, unknown>> {
    const { rows, connections, requests } = this.#services;
    const tenant = tenantWithId(run.tenantId);
    const id = commandOf(run);
    const command = id === undefined ? undefined : await rows.open(tenant, id);
    if (!command)
      throw new DomainError("NOT_FOUND", { detail: "The command of the run has ended, or there was none." });
    const { commandId, expiresAt } = command;
    if (expiresAt && expiresAt.getTime() <= Date.now())
      throw new DomainError("COMMAND_EXPIRED", { detail: "The expirytime of the command has passed." });
    const found = await connections.find(tenant, command.connectionId);
    if (!found) throw new DomainError("CONNECTION_NOT_FOUND", { detail: "The connection was deleted." });
    const { connection, provider } = found;
    failpoint("vendorCommand.calling");
    const target = { tenant, cause, connection, runId: run.runId, signal };
    const result = await requests.send(target, provider.driver, command);
    failpoint("vendorCommand.called");
    return { commandId, ...result };
  }

  async ended(transaction: Transaction, run: RunRecord, end: RunEnd): Promise<void> {
    const { rows } = this.#services;
    const commandId = commandOf(run);
    if (commandId === undefined) return;
    const type = commandsOf("integration").find((name) => name === run.operation) as VendorCommandType;
    const { runId, connectionId, projectId } = run;
    const cause: Cause = { ...causeOfRun(run), causationId: commandId };
    const about = { commandId, type, runId, connectionId: connectionId ?? "", projectId };
    if (end.status === "Completed") {
      const { commandId: _, ...result } = end.result ?? {};
      const vendorReference = typeof result["vendorId"] === "string" ? result["vendorId"] : null;
      const providerId = await rows.end(transaction, commandId, { status: "Done", vendorReference });
      if (providerId !== undefined) recordDone(transaction, { ...about, providerId }, result, cause);
      return;
    }
    const error = { code: end.code, detail: end.detail };
    const state = stateOfFailure(type, error);
    const providerId = await rows.end(transaction, commandId, { status: state, errorCode: error.code });
    if (providerId !== undefined) recordFailure(transaction, { ...about, providerId }, { state, error }, cause);
  }
}

/** Undefined for a run that was not started by a command. */
function commandOf({ payload: { commandId } }: RunRecord): string | undefined {
  return typeof commandId === "string" && decodeId("cmd", commandId) !== undefined ? commandId : undefined;
}
