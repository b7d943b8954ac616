const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delay before each attempt, including the first: 10 attempts in 75 h 35 min. */
export const defaultRetryDelaysMs: readonly number[] = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

const jitter = 0.2;
const politeDelayMs = minute;
const maxDelayMs = 24 * hour;

export interface RetryHint {
  /** True when the receiver is overloaded or did not respond. The next attempt then comes after at least one minute. */
  readonly overloaded: boolean;
  /** The delay that the header Retry-After asks for. */
  readonly retryAfterMs?: number | undefined;
}

/** The delay before the attempt after `attempts` attempts. Undefined when no attempt is left. */
export function retryDelayMs(
  delays: readonly number[],
  attempts: number,
  hint: RetryHint,
  random: () => number = Math.random,
): number | undefined {
  const plannedMs = delays[attempts];
  if (plannedMs === undefined) return undefined;
  const jitteredMs = plannedMs * (1 - jitter + 2 * jitter * random());
  const polite = Math.max(jitteredMs, hint.overloaded ? politeDelayMs : 0);
  return Math.round(Math.max(polite, Math.min(hint.retryAfterMs ?? 0, maxDelayMs)));
}
