import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { Usage } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import type { ModelBudgets, Reservation } from "../model-budgets/model-budgets.js";
import type { ModelContents, ModelExchange } from "../model-contents/model-contents.js";
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

/** The facts about a call at its end. None but `exchange` is content. */
export interface ModelOutcome {
  readonly tries: readonly Try[];
  readonly finishReason: string;
  readonly usage: Usage | undefined;
  /** An estimate where the vendor did not tell. Undefined: what was reserved may have been used. */
  readonly usedTokens: number | undefined;
  /** Is stored only where the configuration of the tenant says so. */
  readonly exchange?: ModelExchange | undefined;
}

/** A run with what its call has reserved. */
export interface ModelRun {
  readonly record: RunRecord;
  /** Undefined: the model has no budget. */
  reservation: Reservation | undefined;
  /** The days for which the tenant keeps prompts and answers; null: it keeps none. */
  readonly contentDays: number | null;
}

/** The end of a call that did not succeed. */
export interface ModelFailure {
  readonly status: "Failed" | "TimedOut" | "Cancelled";
  readonly code: string;
  readonly detail: string;
}

/** Longer than the longest call, its fallback included. */
const timeLimitSeconds = 330;

interface NewModelRun {
  readonly operation: ModelOperation;
  readonly target: ModelTarget;
  /** The most tokens that the call may use. */
  readonly tokens: number;
  /** The part of them that the prompt uses in any case. */
  readonly promptTokens: number;
}

/** A member of the payload of a run, so that another process can settle the call of a process that has died. */
interface Reserved extends Reservation {
  readonly promptTokens: number;
}

interface Services {
  readonly database: Database;
  readonly held: HeldRuns;
  readonly budgets: ModelBudgets;
  readonly contents: ModelContents;
}

/** Begins and ends the runs of model calls, with their events. */
export class ModelRuns {
  readonly #database: Database;
  readonly #held: HeldRuns;
  readonly #budgets: ModelBudgets;
  readonly #contents: ModelContents;

  constructor({ database, held, budgets, contents }: Services) {
    this.#database = database;
    this.#held = held;
    this.#budgets = budgets;
    this.#contents = contents;
    for (const operation of modelOperations)
      held.add(operation, async (transaction, run, end) => {
        if (end.status === "Completed") return;
        recordFailure(transaction, run, end, nothingKnown);
        const { reserved } = run.payload as { readonly reserved?: Reserved };
        // A process that still lives settles a cancelled call by itself.
        if (end.status !== "Cancelled" && reserved) await this.#settle(transaction, run.runId, reserved.promptTokens);
      });
  }

  /** Throws RATE_LIMITED when the budget of the model is used up. Then no run begins. */
  async begin(
    tenant: Tenant,
    cause: Cause,
    { operation, target, tokens, promptTokens }: NewModelRun,
  ): Promise<ModelRun> {
    const { connection, model } = target;
    const { connectionId, projectId } = connection;
    const budget = await this.#budgets.find(tenant.tenantId, model);
    const contentDays = await this.#contents.days(tenant.tenantId);
    return this.#database.transaction(tenant, cause, async (transaction) => {
      const reservation = budget && (await this.#budgets.reserve(transaction, budget, tokens));
      const payload = payloadOf(model, reservation, promptTokens);
      const wanted = { operation, connectionId, projectId, timeLimitSeconds, payload };
      return { record: await this.#held.beginIn(transaction, wanted), reservation, contentDays };
    });
  }

  /**
   * Settles what the first model has used, then reserves for its fallback, also where both share one budget: the second
   * request and its tokens count too. Throws RATE_LIMITED and RUN_CANCELLED, without any change.
   */
  async moveTo(
    tenant: Tenant,
    cause: Cause,
    run: ModelRun,
    { model, tokens, promptTokens, usedTokens }: Moved,
  ): Promise<void> {
    const budget = await this.#budgets.find(tenant.tenantId, model);
    const first = run.reservation;
    if (!budget && !first) return;
    run.reservation = await this.#database.transaction(tenant, cause, async (transaction) => {
      const { runId, payload } = run.record;
      if (budget && first) await this.#budgets.lock(transaction, [budget.key, first.budget]);
      if (first && usedTokens !== undefined) await this.#settle(transaction, runId, usedTokens);
      const reserved = budget && (await this.#budgets.reserve(transaction, budget, tokens));
      const described = payloadOf(String(payload["model"]), reserved, promptTokens);
      if (!(await this.#held.describeIn(transaction, runId, described))) throw runCancelled();
      return reserved;
    });
  }

  /** Undefined, without any change: the run was cancelled, or counted as lost. */
  complete(tenant: Tenant, cause: Cause, run: ModelRun, outcome: ModelOutcome): Promise<RunRecord | undefined> {
    const { record } = run;
    const end: RunEnd = { status: "Completed", result: resultOf(record, outcome) };
    return this.#end({ tenant, cause }, run, end, outcome, (transaction) =>
      recordCompletion(transaction, record, outcome),
    );
  }

  /** As `complete`. */
  fail(
    tenant: Tenant,
    cause: Cause,
    run: ModelRun,
    failure: ModelFailure,
    outcome: ModelOutcome,
  ): Promise<RunRecord | undefined> {
    const { record } = run;
    const end: RunEnd = { ...failure, result: resultOf(record, outcome) };
    const tell = (transaction: Transaction) => recordFailure(transaction, record, failure, outcome);
    return this.#end({ tenant, cause }, run, end, outcome, tell);
  }

  /** Calls `cancelled` when the run is cancelled in any process. Returns the function that ends the watch. */
  watch({ record: { runId } }: ModelRun, cancelled: () => void): () => void {
    return this.#held.watch(runId, cancelled);
  }

  #end(
    { tenant, cause }: { tenant: Tenant; cause: Cause },
    run: ModelRun,
    end: RunEnd,
    { usedTokens, exchange }: ModelOutcome,
    tell: (transaction: Transaction) => void,
  ): Promise<RunRecord | undefined> {
    return this.#database.transaction(tenant, cause, async (transaction) => {
      const ended = await this.#held.endIn(transaction, run.record.runId, end);
      if (ended) tell(transaction);
      const { contentDays, record, reservation } = run;
      if (exchange && contentDays !== null)
        await this.#contents.storeIn(transaction, record.runId, exchange, contentDays);
      if (reservation && usedTokens !== undefined) await this.#settle(transaction, record.runId, usedTokens);
      return ended;
    });
  }

  /** Settles what the run has reserved at most once, however often its end is stored and whoever finds it. */
  async #settle(transaction: Transaction, runId: string, usedTokens: number): Promise<void> {
    const reserved = (await this.#held.takeIn(transaction, runId, "reserved")) as Reserved | undefined;
    if (reserved) await this.#budgets.settle(transaction, reserved, usedTokens);
  }
}

/** The refusal for a call whose run has ended without it. */
export const runCancelled = () => new DomainError("RUN_CANCELLED", { detail: "The run of the call was cancelled." });

interface Moved {
  readonly model: string;
  readonly tokens: number;
  readonly promptTokens: number;
  /** By the first model. */
  readonly usedTokens: number | undefined;
}

const payloadOf = (
  model: string,
  reservation: Reservation | undefined,
  promptTokens: number,
): Record<string, unknown> => ({
  model,
  ...(reservation && { reserved: { ...reservation, promptTokens: Math.min(promptTokens, reservation.tokens) } }),
});

const nothingKnown: ModelOutcome = { tries: [], finishReason: "", usage: undefined, usedTokens: undefined };

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
