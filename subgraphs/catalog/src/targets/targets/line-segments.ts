export interface Versions<T> {
  readonly base: T;
  readonly ours: T;
  readonly theirs: T;
}

type Places = Versions<number>;

/**
 * Cuts three texts before the lines that each text has exactly once and in the same order, as patience diff does. The
 * segments between the cuts are short, so that a repeated line is only searched within its segment.
 */
export function lineSegments({ base, ours, theirs }: Versions<readonly string[]>): Versions<string[]>[] {
  const cuts = [{ base: 0, ours: 0, theirs: 0 }, ...anchors({ base, ours, theirs })];
  return cuts.map((start, index) => {
    const end = cuts[index + 1];
    return {
      base: base.slice(start.base, end?.base),
      ours: ours.slice(start.ours, end?.ours),
      theirs: theirs.slice(start.theirs, end?.theirs),
    };
  });
}

function anchors({ base, ours, theirs }: Versions<readonly string[]>): Places[] {
  const [inOurs, inTheirs] = [placesOfSingles(ours), placesOfSingles(theirs)];
  // A map keeps insertion order, here the order of the base.
  const common = [...placesOfSingles(base)].flatMap(([line, place]): Places[] => {
    const [our, their] = [inOurs.get(line), inTheirs.get(line)];
    return our === undefined || their === undefined ? [] : [{ base: place, ours: our, theirs: their }];
  });
  return increasing(
    increasing(common, (places) => places.ours),
    (places) => places.theirs,
  );
}

/** The lines that occur once, with their index. */
function placesOfSingles(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  const repeatedLines = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (places.has(line)) repeatedLines.add(line);
    else places.set(line, index);
  }
  for (const line of repeatedLines) places.delete(line);
  return places;
}

/** The longest subsequence with increasing values (patience sorting). */
function increasing<T>(items: readonly T[], value: (item: T) => number): T[] {
  interface Link {
    readonly item: T;
    readonly before: Link | undefined;
  }
  // A subsequence's smallest last item, by its length.
  const ends: Link[] = [];
  for (const item of items) {
    const length = lengthBelow(ends, (link) => value(link.item) < value(item));
    ends[length] = { item, before: ends[length - 1] };
  }
  const selectedItems: T[] = [];
  for (let link = ends.at(-1); link !== undefined; link = link.before) selectedItems.push(link.item);
  return selectedItems.reverse();
}

/** The number of leading links for which `isBelow` is true, by binary search. */
function lengthBelow<T>(links: readonly T[], isBelow: (link: T) => boolean): number {
  let [low, high] = [0, links.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const link = links[middle];
    if (link !== undefined && isBelow(link)) low = middle + 1;
    else high = middle;
  }
  return low;
}
