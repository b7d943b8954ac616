/** The Levenshtein distance between two texts. A distance greater than `limit` is given as `limit + 1`. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let index = 0; index < a.length; index += 1) {
    const next = [index + 1];
    for (let column = 0; column < b.length; column += 1) {
      const replacement = (row[column] ?? 0) + (a[index] === b[column] ? 0 : 1);
      next.push(Math.min(replacement, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return Math.min(row.at(-1) ?? 0, limit + 1);
}
