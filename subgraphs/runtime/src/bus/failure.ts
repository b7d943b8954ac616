import { isDatabaseOverload } from "../errors/database-failure.js";
import { isUnavailable } from "../errors/unavailable.js";
import { UnreadableMessage } from "./bus.js";

/**
 * The reason why a message was not handled: something does not answer (the group waits), a statement was too much for the
 * server (an attempt, unless others fail too), a defect or a wrong message (an attempt), or a message that can never be
 * read (a dead letter).
 */
type FailureKind = "outage" | "overload" | "failure" | "unreadable";

/** A consumer group's pauses in milliseconds. Tests shorten them. */
export interface BusPauses {
  /** The pause before each further attempt that counts. After the last attempt a message becomes a dead letter. */
  readonly retries: readonly number[];
  /** The pauses while something does not answer: in a held message's first minute, and later. */
  readonly outage: { readonly atFirst: number; readonly later: number };
  /** The pause before the group reads the log again after it stopped because several tenants fail. */
  readonly standstill: number;
  /** The time in which audit records gather before they are read. They are not urgent, so their batches are large. */
  readonly gathering: number;
}

export const defaultPauses: BusPauses = {
  retries: [100, 1000, 5000, 30_000],
  outage: { atFirst: 1000, later: 5000 },
  standstill: 1000,
  gathering: 250,
};

/** The decision about a held message. `attempts` are those that count. */
export type Verdict =
  | { readonly parked: true; readonly error: string }
  | { readonly parked: false; readonly error: string; readonly attempts: number; readonly delayMs: number };

const firstMinuteMs = 60_000;
const maxReasonLength = 500;
const quietMs = 30_000;
const maxTroubledTenants = 1000;

function failureKind(error: unknown): FailureKind {
  if (error instanceof UnreadableMessage) return "unreadable";
  if (isUnavailable(error)) return "outage";
  return isDatabaseOverload(error) ? "overload" : "failure";
}

/** Whether the reason may affect all tenants and pass by itself. */
export const isPassing = (error: unknown) => failureKind(error) === "outage" || failureKind(error) === "overload";

/** The decision after a message failed alone. `waitedMs`: the time since it was held. */
export function verdictOn(
  error: unknown,
  history: { attempts: number; waitedMs: number; general: boolean },
  pauses: BusPauses,
): Verdict {
  const kind = failureKind(error);
  const reason = reasonOf(error);
  if (kind === "unreadable") return { parked: true, error: reason };
  if (kind === "outage" || (kind === "overload" && history.general)) {
    const delayMs = history.waitedMs < firstMinuteMs ? pauses.outage.atFirst : pauses.outage.later;
    return { parked: false, error: reason, attempts: history.attempts, delayMs };
  }
  const attempts = history.attempts + 1;
  const delayMs = pauses.retries[attempts - 1];
  return delayMs === undefined ? { parked: true, error: reason } : { parked: false, error: reason, attempts, delayMs };
}

/** The innermost cause's message. The ORM wrapper's message may contain the whole statement. */
export function reasonOf(error: unknown): string {
  let cause = error;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  return String(cause)
    .slice(0, maxReasonLength)
    .replaceAll("\0", "\ufffd")
    .replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

/** A group's recent successes and failures, to distinguish one tenant's trouble from everybody's. */
export class GroupHealth {
  readonly #troubled = new Set<string>();
  #succeededAt = performance.now();
  #lastKind: FailureKind | undefined;

  succeeded(): void {
    this.#troubled.clear();
    this.#succeededAt = performance.now();
  }

  failed(tenant: string, error: unknown): void {
    this.#lastKind = failureKind(error);
    if (this.#troubled.size < maxTroubledTenants) this.#troubled.add(tenant);
  }

  /** Whether other tenants fail too and nothing has succeeded since. */
  othersFail(tenant: string): boolean {
    return this.#troubled.size > (this.#troubled.has(tenant) ? 1 : 0);
  }

  /** Whether nothing has succeeded for 30 s because something does not answer. */
  get outage(): boolean {
    return this.#lastKind === "outage" && performance.now() - this.#succeededAt > quietMs;
  }
}
