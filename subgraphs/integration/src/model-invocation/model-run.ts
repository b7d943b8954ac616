import type { Cause } from "@factory/runtime/messages/envelope";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { Usage } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import type { HeldRuns } from "../runs/held-runs.js";
import type { RunEnd } from "../runs/run-operations.js";
import type { RunRecord } from "../runs/run-record.js";
import type { ModelTarget } from "./model-targets.js";

export const modelOperations = ["CompleteModel", "EmbedModel", "StreamModel"] as const;
/** The operation of the run of a model call. */
export type ModelOperation = (typeof modelOperations)[number];

/** A model that was asked in a run. */
export interface Try {
  readonly connectionId: string;
  readonly model: string;
  /** The code of the refusal; undefined for the one that answered. */
  readonly code?: string;
}

/** The facts about a call at its end. None of them is content. */
export interface ModelOutcome {
  readonly tries: readonly Try[];
  readonly finishReason: string;
  readonly usage: Usage | undefined;
}

/** The end of a call that did not succeed. */
export interface ModelFailure {
  readonly status: "Failed" | "TimedOut" | "Cancelled";
  readonly code: string;
  readonly detail: string;
}

/** Longer than the longest call of a vendor, its fallback included. */
const timeLimitSeconds = 330;

interface NewModelRun {
  readonly operation: ModelOperation;
  readonly target: ModelTarget;
}

/** Begins and ends the runs of model calls, with their events. */
export class ModelRuns {
  readonly #database: Database;
  readonly #held: HeldRuns;

  constructor(database: Database, held: HeldRuns) {
    this.#database = database;
    this.#held = held;
    for (const operation of modelOperations)
      held.add(operation, async (transaction, run, end) => {
        if (end.status !== "Completed") recordFailure(transaction, run, end, nothingKnown);
      });
  }

  begin(tenant: Tenant, cause: Cause, { operation, target }: NewModelRun): Promise<RunRecord> {
    const { connection, model } = target;
    const { connectionId, projectId } = connection;
    return this.#database.transaction(tenant, cause, (transaction) =>
      this.#held.beginIn(transaction, { operation, connectionId, projectId, timeLimitSeconds, payload: { model } }),
    );
  }

  /** Undefined, without any change: the run was cancelled, or counted as lost. */
  complete(tenant: Tenant, cause: Cause, run: RunRecord, outcome: ModelOutcome): Promise<RunRecord | undefined> {
    const end: RunEnd = { status: "Completed", result: resultOf(run, outcome) };
    return this.#end(tenant, cause, run, end, (transaction) => recordCompletion(transaction, run, outcome));
  }

  /** As `complete`. */
  fail(
    tenant: Tenant,
    cause: Cause,
    run: RunRecord,
    failure: ModelFailure,
    outcome: ModelOutcome,
  ): Promise<RunRecord | undefined> {
    const end: RunEnd = { ...failure, result: resultOf(run, outcome) };
    return this.#end(tenant, cause, run, end, (transaction) => recordFailure(transaction, run, failure, outcome));
  }

  /** Calls `cancelled` when the run is cancelled in any process. Returns the function that ends the watch. */
  watch({ runId }: RunRecord, cancelled: () => void): () => void {
    return this.#held.watch(runId, cancelled);
  }

  #end(
    tenant: Tenant,
    cause: Cause,
    { runId }: RunRecord,
    end: RunEnd,
    effect: (transaction: Transaction) => void,
  ): Promise<RunRecord | undefined> {
    return this.#database.transaction(tenant, cause, async (transaction) => {
      const ended = await this.#held.endIn(transaction, runId, end);
      if (ended) effect(transaction);
      return ended;
    });
  }
}

const nothingKnown: ModelOutcome = { tries: [], finishReason: "", usage: undefined };

/** The members that the events and the result of a run share. */
function factsOf({ runId, operation, connectionId, payload }: RunRecord, { tries, usage }: ModelOutcome) {
  const last = tries.at(-1) ?? { connectionId, model: payload["model"] };
  return {
    runId,
    operation,
    connectionId: last.connectionId,
    model: last.model,
    tries: tries.map(({ connectionId: asked, model, code = null }) => ({ connectionId: asked, model, error: code })),
    usage: usage ?? null,
  };
}

function resultOf(run: RunRecord, outcome: ModelOutcome): Record<string, unknown> {
  const { connectionId, model, tries, usage } = factsOf(run, outcome);
  return { connectionId, model, finishReason: outcome.finishReason || null, tries, usage };
}

function recordCompletion({ record }: Transaction, run: RunRecord, outcome: ModelOutcome): void {
  record({
    type: "ModelInvocationCompleted",
    subject: `runs/${run.runId}`,
    projectId: run.projectId,
    data: { ...factsOf(run, outcome), finishReason: outcome.finishReason || null },
  });
}

function recordFailure(
  { record }: Transaction,
  run: RunRecord,
  { status, code, detail }: ModelFailure,
  outcome: ModelOutcome,
): void {
  record({
    type: "ModelInvocationFailed",
    subject: `runs/${run.runId}`,
    projectId: run.projectId,
    data: { ...factsOf(run, outcome), status, error: { code, detail } },
  });
}
