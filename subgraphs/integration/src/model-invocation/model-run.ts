import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { ModelBudgets, NamedBudget, Reservation } from "../model-budgets/model-budgets.js";
import type { ModelContents } from "../model-contents/model-contents.js";
import { type ItemOutcome, TenantBatches } from "../runs/held/tenant-batches.js";
import type { BegunRun, HeldRuns } from "../runs/held-runs.js";
import type { RunEnd } from "../runs/run-operations.js";
import {
  type ModelFailure,
  type ModelOutcome,
  nothingKnown,
  recordCompletion,
  recordFailure,
  resultOf,
} from "./model-run-end.js";
import type { ModelTarget } from "./model-targets.js";

export const modelOperations = ["CompleteModel", "EmbedModel", "StreamModel"] as const;
/** The operation of the run of a model call. */
export type ModelOperation = (typeof modelOperations)[number];

/** A run with what its call has reserved. */
export interface ModelRun {
  readonly record: BegunRun;
  /** Undefined: the model has no budget. */
  reservation: Reservation | undefined;
  /** The days for which the tenant keeps prompts and answers; null: it keeps none. */
  readonly contentDays: number | null;
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
  /** Begins and ends together: both change the budget of their tenant, so they would wait for each other. */
  readonly #batches = new TenantBatches<Beginning | Ending, ModelRun | boolean>((tenant, items) =>
    this.#write(tenant, items),
  );

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
  async begin(tenant: Tenant, cause: Cause, run: NewModelRun): Promise<ModelRun> {
    const budget = await this.#budgets.find(tenant.tenantId, run.target.model);
    const contentDays = await this.#contents.days(tenant.tenantId);
    return (await this.#batches.add(tenant, { ...run, cause, budget, contentDays })) as ModelRun;
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

  /** False, without any change but the budget: the run was cancelled, or counted as lost. */
  complete(tenant: Tenant, cause: Cause, run: ModelRun, outcome: ModelOutcome): Promise<boolean> {
    const { record } = run;
    const end: RunEnd = { status: "Completed", result: resultOf(record, outcome) };
    const tell: Ending["tell"] = (transaction) => recordCompletion(transaction, record, outcome);
    return this.#end(tenant, { cause, run, end, outcome, tell });
  }

  /** As `complete`. */
  fail(tenant: Tenant, cause: Cause, run: ModelRun, failure: ModelFailure, outcome: ModelOutcome): Promise<boolean> {
    const { record } = run;
    const end: RunEnd = { ...failure, result: resultOf(record, outcome) };
    const tell: Ending["tell"] = (transaction) => recordFailure(transaction, record, failure, outcome);
    return this.#end(tenant, { cause, run, end, outcome, tell });
  }

  /** Calls `cancelled` when the run is cancelled in any process. Returns the function that ends the watch. */
  watch({ record: { runId } }: ModelRun, cancelled: () => void): () => void {
    return this.#held.watch(runId, cancelled);
  }

  async #end(tenant: Tenant, ending: Ending): Promise<boolean> {
    return (await this.#batches.add(tenant, ending)) === true;
  }

  #write(tenant: Tenant, items: readonly (Beginning | Ending)[]): Promise<ItemOutcome<ModelRun | boolean>[]> {
    const [first] = items;
    if (!first) return Promise.resolve([]);
    const endings = items.filter(isEnding);
    const beginnings = items.filter((item): item is Beginning => !isEnding(item));
    return this.#database.transaction(tenant, first.cause, async (transaction) => {
      const reserving = beginnings.flatMap(({ budget }) => budget?.key ?? []);
      const settling = endings.flatMap(({ run }) => run.reservation?.budget ?? []);
      if (new Set([...reserving, ...settling]).size > 1)
        await this.#budgets.lock(transaction, [...reserving, ...settling]);
      // The tokens that come back may be those that the next calls want.
      const ended = await this.#endAll(transaction, endings);
      const begun = await this.#beginAll(transaction, beginnings);
      return items.map((item) => (isEnding(item) ? ended.shift() : begun.shift()) as ItemOutcome<ModelRun | boolean>);
    });
  }

  /** Reserves for all of them together, then stores the runs of those that were not refused. */
  async #beginAll(transaction: Transaction, items: readonly Beginning[]): Promise<ItemOutcome<ModelRun>[]> {
    const limited = items.flatMap(({ budget, tokens }) => (budget ? [{ budget, tokens }] : []));
    const outcomes = await this.#budgets.reserveAll(transaction, limited);
    const reserved = items.map(({ budget }) => budget && outcomes.shift());
    const wanted = items.flatMap((item, place) => {
      const reservation = reserved[place];
      return reservation instanceof DomainError ? [] : [heldRunOf(item, reservation)];
    });
    const records = wanted.length === 0 ? [] : await this.#held.beginAllIn(transaction, wanted);
    return items.map(({ contentDays }, place) => {
      const reservation = reserved[place];
      if (reservation instanceof DomainError) return { refused: reservation };
      return { done: { record: records.shift() as BegunRun, reservation, contentDays } };
    });
  }

  async #endAll(transaction: Transaction, items: readonly Ending[]): Promise<ItemOutcome<boolean>[]> {
    if (items.length === 0) return [];
    const ends = items.map(({ run, end, outcome }) => {
      const settles = run.reservation && outcome.usedTokens !== undefined;
      return { ...run.record, end, taking: settles ? "reserved" : undefined };
    });
    const ended = await this.#held.endAllIn(transaction, ends);
    const settled: { reservation: Reservation; used: number }[] = [];
    for (const [place, { run, cause, tell, outcome }] of items.entries()) {
      const { contentDays, record } = run;
      const isEnded = ended.has(record.runId);
      if (isEnded) tell({ record: (event) => transaction.record(event, cause) });
      if (outcome.exchange && contentDays !== null)
        await this.#contents.storeIn(transaction, record.runId, outcome.exchange, contentDays);
      const taking = ends[place]?.taking;
      if (taking === undefined || outcome.usedTokens === undefined) continue;
      // A call whose run somebody else has ended settles what that one has left.
      const taken = isEnded ? ended.get(record.runId) : await this.#held.takeIn(transaction, record.runId, taking);
      if (taken) settled.push({ reservation: taken as Reserved, used: outcome.usedTokens });
    }
    await this.#budgets.settleAll(transaction, settled);
    return items.map(({ run }) => ({ done: ended.has(run.record.runId) }));
  }

  /** Settles what the run has reserved at most once, however often its end is stored and whoever finds it. */
  async #settle(transaction: Transaction, runId: string, usedTokens: number): Promise<void> {
    const reserved = (await this.#held.takeIn(transaction, runId, "reserved")) as Reserved | undefined;
    if (reserved) await this.#budgets.settle(transaction, reserved, usedTokens);
  }
}

/** The refusal for a call whose run has ended without it. */
export const runCancelled = () => new DomainError("RUN_CANCELLED", { detail: "The run of the call was cancelled." });

/** A run that is to begin, with what its tenant says about it. */
interface Beginning extends NewModelRun {
  readonly cause: Cause;
  readonly budget: NamedBudget | undefined;
  readonly contentDays: number | null;
}

/** A run that is to end. */
interface Ending {
  readonly cause: Cause;
  readonly run: ModelRun;
  readonly end: RunEnd;
  readonly outcome: ModelOutcome;
  readonly tell: (transaction: Pick<Transaction, "record">) => void;
}

const isEnding = (item: Beginning | Ending): item is Ending => "run" in item;

const heldRunOf = (
  { operation, target: { connection, model }, promptTokens, cause }: Beginning,
  reservation: Reservation | undefined,
) => {
  const { connectionId, projectId } = connection;
  const payload = payloadOf(model, reservation, promptTokens);
  return { cause, run: { operation, connectionId, projectId, timeLimitSeconds, payload } };
};

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
