import { DomainError } from "@factory/runtime/errors/domain-error";
import { type EditionFeatures, featureProblems } from "@factory/schema/edition-features";

/** The features of an input. Throws EDITION_FEATURES_INVALID with a pointer to each member that is wrong. */
export function checkedFeatures(features: Record<string, unknown>): EditionFeatures {
  const problems = featureProblems(features);
  if (problems.length > 0)
    throw new DomainError("EDITION_FEATURES_INVALID", {
      detail: "The features break a rule. Correct the members that errors names.",
      errors: problems.map((problem) => ({ ...problem, pointer: `/input/features${problem.pointer}` })),
    });
  return features as EditionFeatures;
}
