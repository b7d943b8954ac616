import { type VulnerabilitySeverity, vulnerabilitySeverities } from "@factory/schema/vocabularies/libraries";
import { valuesOf } from "@factory/schema/vocabularies/vocabulary";
import calculator from "ae-cvss-calculator";

const advisorySeverities = valuesOf(vulnerabilitySeverities);

/** A severity that an advisory states. */
export type AdvisorySeverity = VulnerabilitySeverity;

/** A score in an OSV document: its system's type, and a vector. */
export interface OsvScore {
  readonly type: string;
  readonly score: string;
}

/** The score systems, the newest first. */
const systems = ["CVSS_V4", "CVSS_V3", "CVSS_V2"] as const;
const maxVectorLength = 300;

/** The words that databases use for severities. */
const words: Readonly<Record<string, AdvisorySeverity>> = {
  low: "Low",
  moderate: "Moderate",
  medium: "Moderate",
  high: "High",
  important: "High",
  critical: "Critical",
};

/**
 * An advisory's severity: the rating of its newest readable CVSS vector, otherwise the word of its database. Null where
 * it states neither.
 */
export function advisorySeverity(scores: readonly OsvScore[], word: string | undefined): AdvisorySeverity | null {
  for (const system of systems)
    for (const { type, score } of scores) {
      const rating = type === system ? ratingOf(score) : undefined;
      if (rating !== undefined) return rating;
    }
  return words[word?.toLowerCase() ?? ""] ?? null;
}

/** The higher of two severities. Without a severity an advisory counts as Critical where a limit is compared. */
export const severityRank = (severity: AdvisorySeverity | null): number =>
  severity === null ? advisorySeverities.length : advisorySeverities.indexOf(severity) + 1;

/** The qualitative rating of a score (first.org/cvss/v3.1/specification-document, section 5). The score 0 is Low. */
function ratingOfScore(score: number): AdvisorySeverity {
  if (score >= 9) return "Critical";
  if (score >= 7) return "High";
  return score >= 4 ? "Moderate" : "Low";
}

function ratingOf(vector: string): AdvisorySeverity | undefined {
  if (vector.length > maxVectorLength) return undefined;
  try {
    const score = calculator.fromVector(vector);
    if (score === null || !score.isBaseFullyDefined()) return undefined;
    return ratingOfScore(score.calculateScores().overall);
  } catch {
    // the document is foreign, and a vector that cannot be read gives no score
    return undefined;
  }
}
