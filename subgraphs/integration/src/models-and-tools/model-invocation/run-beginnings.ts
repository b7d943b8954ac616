import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { insertHeldRuns } from "../../runs/held/held-run-statements.js";
import type { ItemOutcome } from "../../runs/held/tenant-batches.js";
import { type BegunRun, newHeldRuns } from "../../runs/held-runs.js";
import {
  type ModelBudgets,
  type NamedBudget,
  type Reservation,
  reservationOf,
  sharesOf,
  type Wanted,
} from "../model-budgets/model-budgets.js";
import { beginReserved } from "./begin-statement.js";
import type { ModelTarget } from "./model-targets.js";
import { type TargetStateRow, targetStates } from "./target-state-statement.js";

export const modelOperations = ["CompleteModel", "EmbedModel", "StreamModel"] as const;
/** The operation in a model call's run. */
export type ModelOperation = (typeof modelOperations)[number];

/** A run with what its call has reserved. */
export interface ModelRun {
  readonly record: BegunRun;
  /** Undefined: the model has no budget. */
  reservation: Reservation | undefined;
  /** The days for which the tenant keeps prompts and answers; null: it keeps none. */
  readonly contentDays: number | null;
  /** The connection's state when the run began. */
  readonly targetState: TargetStateRow | undefined;
}

/** Longer than the longest call, its fallback included. */
const timeLimitSeconds = 330;

export interface NewModelRun {
  readonly operation: ModelOperation;
  readonly target: ModelTarget;
  /** The most tokens that the call may use. */
  readonly tokens: number;
  /** The part that the prompt uses in any case. */
  readonly promptTokens: number;
}

/** A run that is to begin, with what its tenant says about it. */
export interface Beginning extends NewModelRun {
  readonly cause: Cause;
  readonly budget: NamedBudget | undefined;
  readonly contentDays: number | null;
}

/** A member in a run's payload, so that another process can settle a call whose process has died. */
export interface Reserved extends Reservation {
  readonly promptTokens: number;
}

/** A run's payload, which never holds content. */
export const payloadOf = (
  model: string,
  reservation: Reservation | undefined,
  promptTokens: number,
): Record<string, unknown> => ({
  model,
  ...(reservation && { reserved: { ...reservation, promptTokens: Math.min(promptTokens, reservation.tokens) } }),
});

/** The outcomes for calls that were to begin. */
export type Outcomes = Map<Beginning, ItemOutcome<ModelRun>>;

/** Reserves for one tenant's calls and inserts their runs. */
export class RunBeginnings {
  readonly #budgets: ModelBudgets;

  constructor(budgets: ModelBudgets) {
    this.#budgets = budgets;
  }

  /**
   * Reserves at once for all calls under a budget. The statements are sent with the next one or the commit, so the
   * outcomes are complete when the transaction has ended. Calls without an outcome have changed nothing: their budget
   * has not enough for all calls.
   */
  async together(transaction: Transaction, items: readonly Beginning[]): Promise<Outcomes> {
    if (items.length === 0) return new Map();
    const insertions = new Insertions(transaction);
    const unlimitedItems = items.filter(({ budget }) => !budget).map((item) => ({ item, reservation: undefined }));
    if (unlimitedItems.length > 0) await insertions.insert(unlimitedItems);
    for (const { wanted, values } of sharesOf(items.filter(isLimited))) {
      const admittedItems = wanted.map((item) => ({ item, reservation: reservationOf(item) }));
      await insertions.insert(admittedItems, values);
    }
    await insertions.readStates(items);
    return insertions.outcomes;
  }

  /** Reserves for one call after the other, and begins those that were not refused. */
  async each(transaction: Transaction, items: readonly Beginning[]): Promise<Outcomes> {
    const insertions = new Insertions(transaction);
    const limitedItems = items.filter(isLimited);
    const reservations = await this.#budgets.reserveAll(transaction, limitedItems);
    const admittedItems: Admitted[] = [];
    for (const [place, item] of limitedItems.entries()) {
      const reservation = reservations[place];
      if (reservation instanceof DomainError) insertions.outcomes.set(item, { refused: reservation });
      else admittedItems.push({ item, reservation });
    }
    if (admittedItems.length === 0) return insertions.outcomes;
    await insertions.insert(admittedItems);
    await insertions.readStates(items);
    return insertions.outcomes;
  }
}

/**
 * Inserts runs, with a budget's `values` if it has enough. The targets' states are read last: a reservation may have
 * waited for other transactions.
 */
class Insertions {
  readonly outcomes: Outcomes = new Map();
  readonly #transaction: Transaction;
  readonly #inserted: { readonly admitted: readonly Admitted[]; readonly begun: readonly BegunRun[] }[] = [];

  constructor(transaction: Transaction) {
    this.#transaction = transaction;
  }

  async insert(admittedItems: readonly Admitted[], values?: readonly unknown[]): Promise<void> {
    const { defer, tenant } = this.#transaction;
    const { begun, values: runs } = newHeldRuns(admittedItems.map(heldRunOf));
    const statement = values ? beginReserved : insertHeldRuns;
    await defer(statement, [tenant.uuid, ...runs, ...(values ?? [])], ({ length }) => {
      if (!values || length > 0) this.#inserted.push({ admitted: admittedItems, begun });
    });
  }

  async readStates(items: readonly Beginning[]): Promise<void> {
    const { defer, tenant } = this.#transaction;
    const connections = new Set(items.map(({ target }) => target.connection.connectionId));
    await defer(targetStates, [tenant.uuid, [...connections].map((id) => decodeId("con", id) ?? null)], (rows) => {
      const states = new Map(
        (rows as unknown as TargetStateRow[]).map((row) => [encodeId("con", row.connection_id), row]),
      );
      for (const { admitted, begun } of this.#inserted) this.#add(admitted, begun, states);
    });
  }

  #add(
    admittedItems: readonly Admitted[],
    begunRuns: readonly BegunRun[],
    states: ReadonlyMap<string, TargetStateRow>,
  ): void {
    for (const [place, { item, reservation }] of admittedItems.entries()) {
      const record = begunRuns[place];
      const targetState = states.get(item.target.connection.connectionId);
      if (record)
        this.outcomes.set(item, { done: { record, reservation, contentDays: item.contentDays, targetState } });
    }
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
