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
/** The operation of the run of a model call. */
export type ModelOperation = (typeof modelOperations)[number];

/** A run with what its call has reserved. */
export interface ModelRun {
  readonly record: BegunRun;
  /** Undefined: the model has no budget. */
  reservation: Reservation | undefined;
  /** The days for which the tenant keeps prompts and answers; null: it keeps none. */
  readonly contentDays: number | null;
  /** The state of the connection when the run began. */
  readonly targetState: TargetStateRow | undefined;
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
  readonly #budgets: ModelBudgets;

  constructor(budgets: ModelBudgets) {
    this.#budgets = budgets;
  }

  /**
   * Reserves at once for all calls of a budget. The statements are sent with the next one or the commit, so the outcomes
   * are complete when the transaction has ended. Calls without an outcome have changed nothing: their budget has not
   * enough for all of them.
   */
  async together(transaction: Transaction, items: readonly Beginning[]): Promise<Outcomes> {
    if (items.length === 0) return new Map();
    const insertions = new Insertions(transaction);
    const unlimited = items.filter(({ budget }) => !budget).map((item) => ({ item, reservation: undefined }));
    if (unlimited.length > 0) await insertions.insert(unlimited);
    for (const { wanted, values } of sharesOf(items.filter(isLimited))) {
      const admitted = wanted.map((item) => ({ item, reservation: reservationOf(item) }));
      await insertions.insert(admitted, values);
    }
    await insertions.readStates(items);
    return insertions.outcomes;
  }

  /** Reserves for one call after the other, and begins those that were not refused. */
  async each(transaction: Transaction, items: readonly Beginning[]): Promise<Outcomes> {
    const insertions = new Insertions(transaction);
    const limited = items.filter(isLimited);
    const reserved = await this.#budgets.reserveAll(transaction, limited);
    const admitted: Admitted[] = [];
    for (const [place, item] of limited.entries()) {
      const reservation = reserved[place];
      if (reservation instanceof DomainError) insertions.outcomes.set(item, { refused: reservation });
      else admitted.push({ item, reservation });
    }
    if (admitted.length === 0) return insertions.outcomes;
    await insertions.insert(admitted);
    await insertions.readStates(items);
    return insertions.outcomes;
  }
}

/**
 * Inserts runs, with `values` of a budget if it has enough. The states of the targets are read last: a reservation may have
 * waited for other transactions.
 */
class Insertions {
  readonly outcomes: Outcomes = new Map();
  readonly #transaction: Transaction;
  readonly #inserted: { readonly admitted: readonly Admitted[]; readonly begun: readonly BegunRun[] }[] = [];

  constructor(transaction: Transaction) {
    this.#transaction = transaction;
  }

  async insert(admitted: readonly Admitted[], values?: readonly unknown[]): Promise<void> {
    const { defer, tenant } = this.#transaction;
    const { begun, values: runs } = newHeldRuns(admitted.map(heldRunOf));
    const statement = values ? beginReserved : insertHeldRuns;
    await defer(statement, [tenant.uuid, ...runs, ...(values ?? [])], ({ length }) => {
      if (!values || length > 0) this.#inserted.push({ admitted, begun });
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

  #add(admitted: readonly Admitted[], begun: readonly BegunRun[], states: ReadonlyMap<string, TargetStateRow>): void {
    for (const [place, { item, reservation }] of admitted.entries()) {
      const record = begun[place];
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
