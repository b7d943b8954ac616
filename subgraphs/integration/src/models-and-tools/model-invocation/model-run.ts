import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { type ItemOutcome, TenantBatches } from "../../runs/held/tenant-batches.js";
import type { HeldRuns } from "../../runs/held-runs.js";
import type { RunEnd } from "../../runs/run-operations.js";
import type { ModelBudgets } from "../model-budgets/model-budgets.js";
import type { ModelContents } from "../model-contents/model-contents.js";
import {
  type ModelFailure,
  type ModelOutcome,
  nothingKnown,
  recordCompletion,
  recordModelFailure,
  resultOf,
} from "./model-run-end.js";
import {
  type Beginning,
  type ModelRun,
  modelOperations,
  type NewModelRun,
  type Outcomes,
  payloadOf,
  type Reserved,
  RunBeginnings,
} from "./run-beginnings.js";
import { type Ending, RunEndings } from "./run-endings.js";

interface Services {
  readonly database: Database;
  readonly held: HeldRuns;
  readonly budgets: ModelBudgets;
  readonly contents: ModelContents;
}

/** Begins and ends the runs for model calls, with their events. */
export class ModelRuns {
  readonly #database: Database;
  readonly #held: HeldRuns;
  readonly #budgets: ModelBudgets;
  readonly #contents: ModelContents;
  readonly #beginnings: RunBeginnings;
  readonly #endings: RunEndings;
  /** Both change their tenant's budget, so two transactions would wait for each other. */
  readonly #batches = new TenantBatches<Beginning | Ending, ModelRun | boolean>((tenant, items) =>
    this.#write(tenant, items),
  );

  constructor({ database, held, budgets, contents }: Services) {
    this.#database = database;
    this.#held = held;
    this.#budgets = budgets;
    this.#contents = contents;
    this.#beginnings = new RunBeginnings(budgets);
    this.#endings = new RunEndings(held, budgets, contents);
    for (const operation of modelOperations)
      held.add(operation, async (transaction, run, end) => {
        if (end.status === "Completed") return;
        recordModelFailure(transaction, run, end, nothingKnown);
        const { reserved } = run.payload as { readonly reserved?: Reserved };
        // A process that still lives settles a cancelled call by itself.
        if (end.status !== "Cancelled" && reserved) await this.#settle(transaction, run.runId, reserved.promptTokens);
      });
  }

  /** Throws RATE_LIMITED when the model's budget is used up. Then no run begins. */
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
      const reservation = budget && (await this.#budgets.reserve(transaction, budget, tokens));
      const runPayload = payloadOf(String(payload["model"]), reservation, promptTokens);
      if (!(await this.#held.describeIn(transaction, runId, runPayload))) throw runCancelled();
      return reservation;
    });
  }

  /** False, without any change but in the budget: the run was cancelled, or counted as lost. */
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
    const tell: Ending["tell"] = (transaction) => recordModelFailure(transaction, record, failure, outcome);
    return this.#end(tenant, { cause, run, end, outcome, tell });
  }

  /** Calls `onCancel` when the run is cancelled in any process. Returns the function that ends the watch. */
  watch({ record: { runId } }: ModelRun, onCancel: () => void): () => void {
    return this.#held.watch(runId, onCancel);
  }

  async #end(tenant: Tenant, ending: Ending): Promise<boolean> {
    return (await this.#batches.add(tenant, ending)) === true;
  }

  async #write(tenant: Tenant, items: readonly (Beginning | Ending)[]): Promise<ItemOutcome<ModelRun | boolean>[]> {
    const [endings, beginnings] = [items.filter(isEnding), items.filter(isBeginning)];
    const { ended, begun } = await this.#database.transaction(tenant, causeOf(items), async (transaction) => {
      await this.#lock(transaction, endings, beginnings);
      // The tokens that come back may be those that the next calls want.
      const ends = await this.#endings.all(transaction, endings);
      return { ended: ends, begun: await this.#beginnings.together(transaction, beginnings) };
    });
    const remaining = beginnings.filter((item) => !begun.has(item));
    const others = remaining.length === 0 ? begun : await this.#beginEach(tenant, remaining);
    return items.map((item) => (isEnding(item) ? ended.get(item) : (begun.get(item) ?? others.get(item))) ?? unwritten);
  }

  /** An error is the outcome for these calls only: the transaction before has committed the others in the batch. */
  async #beginEach(tenant: Tenant, items: readonly Beginning[]): Promise<Outcomes> {
    try {
      return await this.#database.transaction(tenant, causeOf(items), (transaction) =>
        this.#beginnings.each(transaction, items),
      );
    } catch (error) {
      return new Map(items.map((item) => [item, { refused: error }]));
    }
  }

  async #lock(transaction: Transaction, endings: readonly Ending[], beginnings: readonly Beginning[]): Promise<void> {
    const keys = new Set([
      ...endings.flatMap(({ run }) => run.reservation?.budget ?? []),
      ...beginnings.flatMap(({ budget }) => budget?.key ?? []),
    ]);
    if (keys.size > 1) await this.#budgets.lock(transaction, [...keys]);
  }

  /** Settles the run's reservation. A second call, also by another process, finds no reservation and does nothing. */
  async #settle(transaction: Transaction, runId: string, usedTokens: number): Promise<void> {
    const reservedMember = (await this.#held.takeIn(transaction, runId, "reserved")) as Reserved | undefined;
    if (reservedMember) await this.#budgets.settle(transaction, reservedMember, usedTokens);
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

const isEnding = (item: Beginning | Ending): item is Ending => "run" in item;
const isBeginning = (item: Beginning | Ending): item is Beginning => !isEnding(item);

const unwritten = { refused: new Error("A model call has no outcome") };

/** The transaction for several calls has the first one's cause; runs and events have their own. */
function causeOf([first]: readonly { readonly cause: Cause }[]): Cause {
  if (!first) throw new Error("A batch has no items");
  return first.cause;
}
