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
  /** Records the event about the end. */
  readonly tell: (transaction: Pick<Transaction, "record">) => void;
}

/** Ends one tenant's runs, and settles what they have reserved. */
export class RunEndings {
  readonly #held: HeldRuns;
  readonly #budgets: ModelBudgets;
  readonly #contents: ModelContents;

  constructor(heldRuns: HeldRuns, budgets: ModelBudgets, contents: ModelContents) {
    this.#held = heldRuns;
    this.#budgets = budgets;
    this.#contents = contents;
  }

  /** False for a run that somebody else has ended. It is settled too, unless that one has settled it. */
  async all(transaction: Transaction, items: readonly Ending[]): Promise<Map<Ending, ItemOutcome<boolean>>> {
    if (items.length === 0) return new Map();
    const ends = items.map((item) => ({ ...item.run.record, end: item.end, taking: takingOf(item) }));
    const endedRuns = await this.#held.endAllIn(transaction, ends);
    const settlements: { reservation: Reservation; used: number }[] = [];
    for (const item of items) {
      const { run, cause, tell, outcome } = item;
      const { contentDays, record } = run;
      const isEnded = endedRuns.has(record.runId);
      if (isEnded) tell({ record: (event) => transaction.record(event, cause) });
      if (outcome.exchange && contentDays !== null)
        await this.#contents.storeIn(transaction, record.runId, outcome.exchange, contentDays);
      const taking = takingOf(item);
      if (taking === undefined || outcome.usedTokens === undefined) continue;
      const reservedMember = isEnded
        ? endedRuns.get(record.runId)
        : await this.#held.takeIn(transaction, record.runId, taking);
      if (reservedMember) settlements.push({ reservation: reservedMember as Reserved, used: outcome.usedTokens });
    }
    await this.#budgets.settleAll(transaction, settlements);
    return new Map(items.map((item) => [item, { done: endedRuns.has(item.run.record.runId) }]));
  }
}

/** Without a count for the used tokens, all reserved tokens count as used. */
const takingOf = ({ run, outcome }: Ending): string | undefined =>
  run.reservation && outcome.usedTokens !== undefined ? "reserved" : undefined;
