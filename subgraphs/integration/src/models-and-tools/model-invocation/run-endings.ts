import type { Cause } from "@factory/runtime/messages/envelope";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ItemOutcome } from "../../runs/held/tenant-batches.js";
import type { HeldRuns } from "../../runs/held-runs.js";
import type { RunEnd } from "../../runs/run-operations.js";
import type { ModelBudgets, Reservation } from "../model-budgets/model-budgets.js";
import type { ModelContents } from "../model-contents/model-contents.js";
import type { ModelOutcome } from "./model-run-end.js";
import type { ModelRun, Reserved } from "./run-beginnings.js";

/** A run that is to end. */
export interface Ending {
  readonly cause: Cause;
  readonly run: ModelRun;
  readonly end: RunEnd;
  readonly outcome: ModelOutcome;
  /** Records the event of the end. */
  readonly tell: (transaction: Pick<Transaction, "record">) => void;
}

/** Ends runs of one tenant, and settles what they have reserved. */
export class RunEndings {
  readonly #held: HeldRuns;
  readonly #budgets: ModelBudgets;
  readonly #contents: ModelContents;

  constructor(held: HeldRuns, budgets: ModelBudgets, contents: ModelContents) {
    this.#held = held;
    this.#budgets = budgets;
    this.#contents = contents;
  }

  /** False for a run that somebody else has ended. It is settled too, unless that one has settled it. */
  async all(transaction: Transaction, items: readonly Ending[]): Promise<Map<Ending, ItemOutcome<boolean>>> {
    if (items.length === 0) return new Map();
    const ends = items.map((item) => ({ ...item.run.record, end: item.end, taking: takingOf(item) }));
    const ended = await this.#held.endAllIn(transaction, ends);
    const settled: { reservation: Reservation; used: number }[] = [];
    for (const item of items) {
      const { run, cause, tell, outcome } = item;
      const { contentDays, record } = run;
      const isEnded = ended.has(record.runId);
      if (isEnded) tell({ record: (event) => transaction.record(event, cause) });
      if (outcome.exchange && contentDays !== null)
        await this.#contents.storeIn(transaction, record.runId, outcome.exchange, contentDays);
      const taking = takingOf(item);
      if (taking === undefined || outcome.usedTokens === undefined) continue;
      const taken = isEnded ? ended.get(record.runId) : await this.#held.takeIn(transaction, record.runId, taking);
      if (taken) settled.push({ reservation: taken as Reserved, used: outcome.usedTokens });
    }
    await this.#budgets.settleAll(transaction, settled);
    return new Map(items.map((item) => [item, { done: ended.has(item.run.record.runId) }]));
  }
}

/** Without a count of the used tokens, all reserved tokens count as used. */
const takingOf = ({ run, outcome }: Ending): string | undefined =>
  run.reservation && outcome.usedTokens !== undefined ? "reserved" : undefined;
