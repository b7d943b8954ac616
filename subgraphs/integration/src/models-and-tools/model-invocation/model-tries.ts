import { DomainError } from "@factory/runtime/errors/domain-error";
import type { ErrorCode } from "@factory/schema/error-codes";
import { runErrorOf } from "../../runs/run-operations.js";
import type { Try } from "./model-run-end.js";
import type { ModelTarget, ModelTargets } from "./model-targets.js";

/** How far a vendor has come with its answer. */
export interface Progress {
  /** The vendor has begun a success. */
  answered(): void;
  /** The caller gets something from the answer, so no other vendor may answer any more. */
  token(): void;
}

/** Asks one model. */
type Ask<T> = (target: ModelTarget, signal: AbortSignal, progress: Progress) => Promise<T>;

interface Turns<T> {
  readonly signal: AbortSignal;
  readonly tries: Try[];
  readonly ask: Ask<T>;
  /** Runs after the first model's failure. */
  readonly beforeFallback: (fallback: ModelTarget, error: unknown) => Promise<void>;
}

/** 429, no answer (also while the vendor's breaker is open), 5xx. */
const passing: readonly ErrorCode[] = ["RATE_LIMITED", "UPSTREAM_TIMEOUT", "UNAVAILABLE", "UPSTREAM_FAILED"];

/**
 * Asks the first model, and the fallback if the first one does not answer: its vendor limits the rate, fails, or gives
 * no first token in time. Adds each model that was asked to `tries`.
 */
export async function askInTurn<T>(
  { first, fallback }: ModelTargets,
  { signal, tries, ask, beforeFallback }: Turns<T>,
): Promise<T> {
  const progressless = { signal, tries, progress: silent };
  if (!fallback) return one(first, { ...progressless, ask });
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(noToken(fallback.afterMs)), fallback.afterMs);
  let hasAnswered = false;
  let hasToken = false;
  const progress: Progress = {
    answered: () => {
      hasAnswered = true;
    },
    token: () => {
      hasToken = true;
      clearTimeout(timer);
    },
  };
  try {
    return await one(first, { signal: AbortSignal.any([signal, patience.signal]), tries, ask, progress });
  } catch (error) {
    if (signal.aborted || hasToken || !(error instanceof DomainError)) throw error;
    // An answer that cannot be read, or that breaks off, is neither the vendor's failure nor a time-out.
    const mayPass = passing.includes(error.code) && (!hasAnswered || error.code === "UPSTREAM_TIMEOUT");
    if (!mayPass) throw error;
    const askAfter: Ask<T> = async (...askArguments) => {
      await beforeFallback(fallback, error);
      return ask(...askArguments);
    };
    return await one(fallback, { ...progressless, ask: askAfter });
  } finally {
    clearTimeout(timer);
  }
}

const silent: Progress = { answered: () => undefined, token: () => undefined };

async function one<T>(
  target: ModelTarget,
  { signal, tries, ask, progress }: { signal: AbortSignal; tries: Try[]; ask: Ask<T>; progress: Progress },
): Promise<T> {
  const { connection, model } = target;
  const { connectionId } = connection;
  try {
    const answer = await ask(target, signal, progress);
    tries.push({ connectionId, model });
    return answer;
  } catch (error) {
    tries.push({ connectionId, model, code: runErrorOf(error).code });
    throw error;
  }
}

const noToken = (afterMs: number) =>
  new DomainError("UPSTREAM_TIMEOUT", { detail: `The vendor gave no token within ${afterMs} ms.` });
