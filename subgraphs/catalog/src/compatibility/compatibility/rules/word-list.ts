/** Joins names for a sentence: `a, b and c`; `none` for an empty list. */
export function joinNames(names: readonly string[]): string {
  const last = names.at(-1) ?? "none";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
