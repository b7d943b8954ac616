/** Converts a `timestamptz` in PostgreSQL's JSON into ISO 8601 in UTC with milliseconds. */
export function isoFromJsonTime(time: string): string {
  if (!time.endsWith("+00:00")) return new Date(time).toISOString();
  // PostgreSQL writes up to six fractional digits and omits trailing zeros.
  const fraction = time.slice(20, -6);
  return `${time.slice(0, 19)}.${fraction.slice(0, 3).padEnd(3, "0")}Z`;
}
