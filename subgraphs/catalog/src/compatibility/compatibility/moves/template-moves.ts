import { compareVersions, parseVersion } from "@factory/nuget/version";
import type { EvaluationContext } from "../evaluation/evaluation-context.js";
import type { TemplateVersionSide } from "../evaluation/evaluation-input.js";
import { changeVersion, type Move } from "./move.js";

/**
 * Moves to the template's other versions that pass the test: first the Published ones, then the drafts, each newest
 * first.
 */
export function templateMoves(
  { template }: EvaluationContext,
  test: (version: TemplateVersionSide) => boolean,
): Move[][] {
  if (template === undefined) return [];
  return ["Published", "Draft"].map((status) =>
    template.otherVersions
      .filter((version) => version.status === status && test(version))
      .sort(newestFirst)
      .map((version) => changeVersion(null, [template.semanticVersion, version.semanticVersion])),
  );
}

function newestFirst(a: TemplateVersionSide, b: TemplateVersionSide): number {
  const [left, right] = [parseVersion(a.semanticVersion), parseVersion(b.semanticVersion)];
  return left && right ? compareVersions(right, left) : Number(left === undefined) - Number(right === undefined);
}
