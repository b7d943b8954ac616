import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { Usage } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import type { BegunRun } from "../../runs/held-runs.js";
import type { ModelExchange } from "../model-contents/model-contents.js";

/** A model that was asked in a run. */
export interface Try {
  readonly connectionId: string;
  readonly model: string;
  /** The refusal's code; undefined for the one that answered. */
  readonly code?: string;
}

/** The facts about a call at its end. None but `exchange` is content. */
export interface ModelOutcome {
  readonly tries: readonly Try[];
  readonly finishReason: string;
  readonly usage: Usage | undefined;
  /** An estimate where the vendor did not tell. Undefined: what was reserved may have been used. */
  readonly usedTokens: number | undefined;
  /** Is stored only where the tenant's configuration says so. */
  readonly exchange?: ModelExchange | undefined;
}

/** The end when a call did not succeed. */
export interface ModelFailure {
  readonly status: "Failed" | "TimedOut" | "Cancelled";
  readonly code: string;
  readonly detail: string;
}

/** The outcome for a call whose process has died. */
export const nothingKnown: ModelOutcome = { tries: [], finishReason: "", usage: undefined, usedTokens: undefined };

/** The members that a run's events and result share. */
function factsOf({ runId, operation, connectionId, payload }: BegunRun, { tries, usage }: ModelOutcome) {
  const last = tries.at(-1) ?? { connectionId, model: payload["model"] };
  return {
    runId,
    operation,
    connectionId: last.connectionId,
    model: last.model,
    tries: tries.map(({ connectionId: triedId, model, code = null }) => ({
      connectionId: triedId,
      model,
      error: code,
    })),
    usage: usage ?? null,
  };
}

/** The result that the run shows. */
export function resultOf(run: BegunRun, outcome: ModelOutcome): Record<string, unknown> {
  const { connectionId, model, tries, usage } = factsOf(run, outcome);
  return { connectionId, model, finishReason: outcome.finishReason || null, tries, usage };
}

export function recordCompletion({ record }: Pick<Transaction, "record">, run: BegunRun, outcome: ModelOutcome): void {
  record({
    type: "ModelInvocationCompleted",
    subject: `runs/${run.runId}`,
    projectId: run.projectId,
    data: { ...factsOf(run, outcome), finishReason: outcome.finishReason || null },
  });
}

export function recordModelFailure(
  { record }: Pick<Transaction, "record">,
  run: BegunRun,
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
