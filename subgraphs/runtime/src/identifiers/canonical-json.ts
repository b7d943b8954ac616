/**
 * The canonical JSON of a value (RFC 8785, JSON Canonicalization Scheme): no white space, members sorted by the UTF-16
 * code units of their names, strings and numbers as ECMAScript writes them. Members without a value are left out. Texts
 * must not hold lone surrogates.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}
