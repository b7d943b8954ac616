import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import {
  type ModelBudgets,
  type NamedBudget,
  type Reservation,
  reservationOf,
  sharesOf,
  type Wanted,
} from "../model-budgets/model-budgets.js";
import type { ItemOutcome } from "../runs/held/tenant-batches.js";
import { type BegunRun, type HeldRuns, newHeldRuns } from "../runs/held-runs.js";
import { beginReserved } from "./begin-statement.js";
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

export interface NewModelRun {
  readonly operation: ModelOperation;
  readonly target: ModelTarget;
  /** The most tokens that the call may use. */
  readonly tokens: number;
  /** The part of them that the prompt uses in any case. */
  readonly promptTokens: number;
}

/** A run that is to begin, with what its tenant says about it. */
export interface Beginning extends NewModelRun {
  readonly cause: Cause;
  readonly budget: NamedBudget | undefined;
  readonly contentDays: number | null;
}

/** A member of the payload of a run, so that another process can settle the call of a process that has died. */
export interface Reserved extends Reservation {
  readonly promptTokens: number;
}

/** The payload of a run, which never holds content. */
export const payloadOf = (
  model: string,
  reservation: Reservation | undefined,
  promptTokens: number,
): Record<string, unknown> => ({
  model,
  ...(reservation && { reserved: { ...reservation, promptTokens: Math.min(promptTokens, reservation.tokens) } }),
});

/** The outcomes of calls that were to begin. */
export type Outcomes = Map<Beginning, ItemOutcome<ModelRun>>;

/** Reserves for calls of one tenant and inserts their runs. */
export class RunBeginnings {
  readonly #held: HeldRuns;
  readonly #budgets: ModelBudgets;

  constructor(held: HeldRuns, budgets: ModelBudgets) {
    this.#held = held;
    this.#budgets = budgets;
  }

  /**
   * Reserves at once for all calls of a budget. The statements are sent with the next one or the commit, so the outcomes
   * are complete when the transaction has ended. Calls without an outcome have changed nothing: their budget has not
   * enough for all of them.
   */
  async together(transaction: Transaction, items: readonly Beginning[]): Promise<Outcomes> {
    const outcomes: Outcomes = new Map();
    const unlimited = items.filter(({ budget }) => !budget).map((item) => ({ item, reservation: undefined }));
    if (unlimited.length > 0) await this.#insert(transaction, unlimited, outcomes);
    for (const { wanted, values } of sharesOf(items.filter(isLimited))) {
      const admitted = wanted.map((item) => ({ item, reservation: reservationOf(item) }));
      const { begun, values: runs } = newHeldRuns(admitted.map(heldRunOf));
      await transaction.defer(beginReserved, [transaction.tenant.uuid, ...runs, ...values], (inserted) => {
        if (inserted.length > 0) addBegun(outcomes, admitted, begun);
      });
    }
    return outcomes;
  }

  /** Reserves for one call after the other, and begins those that were not refused. */
  async each(transaction: Transaction, items: readonly Beginning[]): Promise<Outcomes> {
    const outcomes: Outcomes = new Map();
    const limited = items.filter(isLimited);
    const reserved = await this.#budgets.reserveAll(transaction, limited);
    const admitted: Admitted[] = [];
    for (const [place, item] of limited.entries()) {
      const reservation = reserved[place];
      if (reservation instanceof DomainError) outcomes.set(item, { refused: reservation });
      else admitted.push({ item, reservation });
    }
    if (admitted.length > 0) await this.#insert(transaction, admitted, outcomes);
    return outcomes;
  }

  async #insert(transaction: Transaction, admitted: readonly Admitted[], outcomes: Outcomes): Promise<void> {
    addBegun(outcomes, admitted, await this.#held.beginAllIn(transaction, admitted.map(heldRunOf)));
  }
}

interface Admitted {
  readonly item: Beginning;
  readonly reservation: Reservation | undefined;
}

const isLimited = (item: Beginning): item is Beginning & Wanted => item.budget !== undefined;

function heldRunOf({ item, reservation }: Admitted) {
  const { operation, target, promptTokens, cause } = item;
  const { connectionId, projectId } = target.connection;
  const payload = payloadOf(target.model, reservation, promptTokens);
  return { cause, run: { operation, connectionId, projectId, timeLimitSeconds, payload } };
}

function addBegun(outcomes: Outcomes, admitted: readonly Admitted[], begun: readonly BegunRun[]): void {
  for (const [place, { item, reservation }] of admitted.entries()) {
    const record = begun[place];
    if (record) outcomes.set(item, { done: { record, reservation, contentDays: item.contentDays } });
  }
}
