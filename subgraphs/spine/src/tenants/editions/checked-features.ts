import { DomainError } from "@factory/runtime/errors/domain-error";
import { withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import { inexactNumbers } from "@factory/runtime/json/own-json";
import { type EditionFeatures, featureProblems } from "@factory/schema/edition-features";

/**
 * An input's features, with numbers that the platform calculates with. Throws EDITION_FEATURES_INVALID with a pointer
 * to each member that is wrong.
 */
export function checkedFeatures(input: Record<string, unknown>): EditionFeatures {
  const features = withPlainNumbers(input) as Record<string, unknown>;
  const inexact = inexactNumbers(input);
  const problems = inexact.length > 0 ? inexact.slice(0, 20) : featureProblems(features);
  if (problems.length > 0)
    throw new DomainError("EDITION_FEATURES_INVALID", {
      detail: "The features break a rule. Correct the members that errors names.",
      errors: problems.map((problem) => ({ ...problem, pointer: `/input/features${problem.pointer}` })),
    });
  return features as EditionFeatures;
}
