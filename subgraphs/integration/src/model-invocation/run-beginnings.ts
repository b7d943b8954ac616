import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
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
import { insertHeldRuns } from "../runs/held/held-run-statements.js";
import type { ItemOutcome } from "../runs/held/tenant-batches.js";
import { type BegunRun, newHeldRuns } from "../runs/held-runs.js";
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
    const begun = await beginWith(transaction, items);
    const unlimited = items.filter(({ budget }) => !budget).map((item) => ({ item, reservation: undefined }));
    if (unlimited.length > 0) await begun.insert(unlimited);
    for (const { wanted, values } of sharesOf(items.filter(isLimited))) {
      const admitted = wanted.map((item) => ({ item, reservation: reservationOf(item) }));
      await begun.insert(admitted, values);
    }
    return begun.outcomes;
  }

  /** Reserves for one call after the other, and begins those that were not refused. */
  async each(transaction: Transaction, items: readonly Beginning[]): Promise<Outcomes> {
    const begun = await beginWith(transaction, items);
    const limited = items.filter(isLimited);
    const reserved = await this.#budgets.reserveAll(transaction, limited);
    const admitted: Admitted[] = [];
    for (const [place, item] of limited.entries()) {
      const reservation = reserved[place];
      if (reservation instanceof DomainError) begun.outcomes.set(item, { refused: reservation });
      else admitted.push({ item, reservation });
    }
    if (admitted.length > 0) await begun.insert(admitted);
    return begun.outcomes;
  }
}

/** Reads the states of the targets. The function that it gives inserts runs; with `values` of a budget if it has enough. */
async function beginWith(transaction: Transaction, items: readonly Beginning[]) {
  const { tenant, defer } = transaction;
  const outcomes: Outcomes = new Map();
  const states = new Map<string, TargetStateRow>();
  const connections = new Set(items.map(({ target }) => target.connection.connectionId));
  await defer(targetStates, [tenant.uuid, [...connections].map((id) => decodeId("con", id) ?? null)], (rows) => {
    for (const row of rows as unknown as TargetStateRow[]) states.set(encodeId("con", row.connection_id), row);
  });
  const insert = async (admitted: readonly Admitted[], values?: readonly unknown[]) => {
    const { begun, values: runs } = newHeldRuns(admitted.map(heldRunOf));
    const statement = values ? beginReserved : insertHeldRuns;
    await defer(statement, [tenant.uuid, ...runs, ...(values ?? [])], (inserted) => {
      if (values && inserted.length === 0) return;
      for (const [place, { item, reservation }] of admitted.entries()) {
        const record = begun[place];
        const targetState = states.get(item.target.connection.connectionId);
        if (record) outcomes.set(item, { done: { record, reservation, contentDays: item.contentDays, targetState } });
      }
    });
  };
  return { outcomes, insert };
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
