import { formatGuid, seededGuid } from "../symbols/seeded-values.js";

/** An id of a project or folder in a solution, the same for the same seed and purpose. */
export function newSolutionId(seed: string, purpose: string): string {
  return formatGuid(seededGuid(seed, purpose), "D");
}
