import { editDistance } from "./edit-distance.js";

const maxNames = 3;
const maxEdits = 3;
/** A longer name is too much work to compare, and a reader would not compare it either. */
const maxNameLength = 100;

/** The known names that this one may be a misspelling of, the likeliest first. */
export function nearestNames(name: string, known: Iterable<string>): string[] {
  if (name.length > maxNameLength) return [];
  const folded = name.toLowerCase();
  // two letters of a short name are most of it
  const most = Math.min(maxEdits, Math.max(1, Math.floor(name.length / 3)));
  const near: { candidate: string; edits: number }[] = [];
  for (const candidate of new Set(known)) {
    const edits = editDistance(folded, candidate.toLowerCase(), most);
    if (edits <= most || begins(folded, candidate.toLowerCase())) near.push({ candidate, edits });
  }
  return near
    .sort((a, b) => a.edits - b.edits)
    .slice(0, maxNames)
    .map(({ candidate }) => candidate);
}

/** `Framework` for `FrameworkVersion`, or the other way round. */
function begins(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 4 && long.startsWith(short);
}
