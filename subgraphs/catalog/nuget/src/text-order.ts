/** Compares two texts by their UTF-16 code units, which gives the same order in every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
