/**
 * Pairwise combinations: rows of value indexes, one index for each dimension. Every pair of values from two dimensions
 * is in at least one row, unless `limit` rows are reached. The algorithm is greedy and not minimal.
 */
export function pairwiseRows(sizes: readonly number[], limit: number): number[][] {
  const open = new Set<string>();
  sizes.forEach((size, dimension) => {
    for (let value = 0; value < size; value++) {
      open.add(pairKey(dimension, value, dimension, value));
      for (let other = dimension + 1; other < sizes.length; other++)
        for (let partner = 0; partner < (sizes[other] ?? 0); partner++)
          open.add(pairKey(dimension, value, other, partner));
    }
  });
  const rows: number[][] = [];
  while (open.size > 0 && rows.length < limit) {
    const row = nextRow(sizes, open);
    for (const key of keysOf(row)) open.delete(key);
    rows.push(row);
  }
  return rows;
}

/** Starts with the first missing pair and then adds the values that cover the most missing pairs. */
function nextRow(sizes: readonly number[], open: ReadonlySet<string>): number[] {
  const [seed = "0.0.0.0"] = open;
  const [first = 0, firstValue = 0, second = 0, secondValue = 0] = seed.split(".").map(Number);
  const row = new Map([
    [first, firstValue],
    [second, secondValue],
  ]);
  sizes.forEach((size, dimension) => {
    if (row.has(dimension)) return;
    let best = 0;
    let bestGain = -1;
    for (let value = 0; value < size; value++) {
      let gain = open.has(pairKey(dimension, value, dimension, value)) ? 1 : 0;
      for (const [other, partner] of row) if (open.has(ordered(dimension, value, other, partner))) gain++;
      if (gain <= bestGain) continue;
      best = value;
      bestGain = gain;
    }
    row.set(dimension, best);
  });
  return sizes.map((_, dimension) => row.get(dimension) ?? 0);
}

function keysOf(row: readonly number[]): string[] {
  return row.flatMap((value, dimension) =>
    row.slice(dimension).map((partner, distance) => pairKey(dimension, value, dimension + distance, partner)),
  );
}

function ordered(dimension: number, value: number, other: number, partner: number): string {
  return dimension < other ? pairKey(dimension, value, other, partner) : pairKey(other, partner, dimension, value);
}

function pairKey(dimension: number, value: number, other: number, partner: number): string {
  return `${dimension}.${value}.${other}.${partner}`;
}
