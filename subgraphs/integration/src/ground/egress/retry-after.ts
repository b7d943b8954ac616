/**
 * The milliseconds in Retry-After (RFC 9110, section 10.2.3): seconds or a date. Some vendors send fractions, which
 * count as a whole second. Any other value is ignored.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,10}(?:\.\d{1,20})?$/.test(value.trim())) return Math.ceil(Number(value)) * 1000;
  const date = /GMT\s*$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
