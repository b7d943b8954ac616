import { formatGuid, seededGuid } from "../symbols/seeded-values.js";

/** A GUID for a project or folder in a solution; the same seed and purpose give the same GUID. */
export function newSolutionId(seed: string, purpose: string): string {
  return formatGuid(seededGuid(seed, purpose), "D");
}
