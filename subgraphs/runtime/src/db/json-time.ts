/** A `timestamptz` as PostgreSQL writes it into JSON, in the form of the contract: UTC with milliseconds. */
export function isoFromJsonTime(time: string): string {
  if (!time.endsWith("+00:00")) return new Date(time).toISOString();
  // up to six digits of a second's fraction, trailing zeros left out
  const fraction = time.slice(20, -6);
  return `${time.slice(0, 19)}.${fraction.slice(0, 3).padEnd(3, "0")}Z`;
}
