const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Delay before each attempt, the first included: 10 attempts over 75 h 35 m. */
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
const longestDelayMs = 24 * hour;

export interface RetryHint {
  /** The receiver is overloaded or did not answer: not again within a minute. */
  readonly overloaded: boolean;
  /** Value of Retry-After, as a delay. */
  readonly retryAfterMs?: number | undefined;
}

/** Delay before the attempt that follows `attempts` made ones; undefined when none is left. */
export function retryDelayMs(
  delays: readonly number[],
  attempts: number,
  hint: RetryHint,
  random: () => number = Math.random,
): number | undefined {
  const planned = delays[attempts];
  if (planned === undefined) return undefined;
  const jittered = planned * (1 - jitter + 2 * jitter * random());
  const polite = Math.max(jittered, hint.overloaded ? politeDelayMs : 0);
  return Math.round(Math.max(polite, Math.min(hint.retryAfterMs ?? 0, longestDelayMs)));
}

/** RFC 9110 section 10.2.3: seconds, or a date. Anything else counts as absent. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,10}$/.test(value.trim())) return Number(value) * second;
  const date = /GMT\s*$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
