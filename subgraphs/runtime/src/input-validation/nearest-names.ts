import { editDistance } from "./edit-distance.js";

const maxNames = 3;
const maxEdits = 3;
/** Longer names are not compared, since that takes much time and helps no reader. */
const maxNameLength = 100;

/** The known names that are similar to a name, the most similar first. At most three. */
export function nearestNames(name: string, knownNames: Iterable<string>): string[] {
  if (name.length > maxNameLength) return [];
  const lowerCaseName = name.toLowerCase();
  // in a short name few letters may differ
  const limit = Math.min(maxEdits, Math.max(1, Math.floor(name.length / 3)));
  const near: { candidate: string; edits: number }[] = [];
  for (const candidate of new Set(knownNames)) {
    const edits = editDistance(lowerCaseName, candidate.toLowerCase(), limit);
    if (edits <= limit || begins(lowerCaseName, candidate.toLowerCase())) near.push({ candidate, edits });
  }
  return near
    .sort((a, b) => a.edits - b.edits)
    .slice(0, maxNames)
    .map(({ candidate }) => candidate);
}

/** Whether one name begins with the other, as `FrameworkVersion` with `Framework`. */
function begins(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 4 && long.startsWith(short);
}
