import { isDatabaseOverload } from "../errors/database-failure.js";
import { isUnavailable } from "../errors/unavailable.js";
import { UnreadableMessage } from "./bus.js";

/**
 * Why a message was not consumed: something does not answer (waited for), a statement was too much for the server
 * (counts unless others fail too), a bug or a fault of the message (counts), or nothing that could ever be read (parked).
 */
type FailureKind = "outage" | "overload" | "failure" | "unreadable";

/** The pauses of a consumer group, in milliseconds; tests of what comes after them shorten them. */
export interface BusPauses {
  /** Before each further attempt that counts; after the last one a message is parked. */
  readonly retries: readonly number[];
  /** While something does not answer: in the first minute of a held message, and later. */
  readonly outage: { readonly atFirst: number; readonly later: number };
  /** Before the log goes on that stands still because several tenants fail. */
  readonly standstill: number;
}

export const defaultPauses: BusPauses = {
  retries: [100, 1000, 5000, 30_000],
  outage: { atFirst: 1000, later: 5000 },
  standstill: 1000,
};

/** What becomes of a held message; `attempts` are those that count. */
export type Verdict =
  | { readonly parked: true; readonly error: string }
  | { readonly parked: false; readonly error: string; readonly attempts: number; readonly delayMs: number };

const firstMinuteMs = 60_000;
const longestReason = 500;
const quietMs = 30_000;
const mostTroubled = 1000;

function failureKind(error: unknown): FailureKind {
  if (error instanceof UnreadableMessage) return "unreadable";
  if (isUnavailable(error)) return "outage";
  return isDatabaseOverload(error) ? "overload" : "failure";
}

/** Something that everybody may share: it passes by itself. */
export const isPassing = (error: unknown) => failureKind(error) === "outage" || failureKind(error) === "overload";

/** After a message failed alone. `waitedMs`: since it was held. */
export function verdictOn(
  error: unknown,
  tried: { attempts: number; waitedMs: number; general: boolean },
  pauses: BusPauses,
): Verdict {
  const kind = failureKind(error);
  const reason = reasonOf(error);
  if (kind === "unreadable") return { parked: true, error: reason };
  if (kind === "outage" || (kind === "overload" && tried.general)) {
    const delayMs = tried.waitedMs < firstMinuteMs ? pauses.outage.atFirst : pauses.outage.later;
    return { parked: false, error: reason, attempts: tried.attempts, delayMs };
  }
  const attempts = tried.attempts + 1;
  const delayMs = pauses.retries[attempts - 1];
  return delayMs === undefined ? { parked: true, error: reason } : { parked: false, error: reason, attempts, delayMs };
}

/** The first cause, without what wraps it: an ORM's message may hold the whole statement. */
export function reasonOf(error: unknown): string {
  let cause = error;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  return String(cause)
    .slice(0, longestReason)
    .replaceAll("\0", "\ufffd")
    .replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

/** How a group fares, to tell trouble of one tenant from trouble of everybody. */
export class Fortunes {
  readonly #troubled = new Set<string>();
  #succeededAt = performance.now();
  #lastKind: FailureKind | undefined;

  succeeded(): void {
    this.#troubled.clear();
    this.#succeededAt = performance.now();
  }

  failed(tenant: string, error: unknown): void {
    this.#lastKind = failureKind(error);
    if (this.#troubled.size < mostTroubled) this.#troubled.add(tenant);
  }

  /** Other tenants fail as well, and since then nothing has succeeded. */
  othersFail(tenant: string): boolean {
    return this.#troubled.size > (this.#troubled.has(tenant) ? 1 : 0);
  }

  /** Nothing has succeeded for half a minute, because something does not answer. */
  get outage(): boolean {
    return this.#lastKind === "outage" && performance.now() - this.#succeededAt > quietMs;
  }
}
