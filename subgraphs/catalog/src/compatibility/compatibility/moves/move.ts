import { type Framework, frameworkName, parseFramework } from "@factory/nuget/framework";
import type { CompatibilityAction } from "@factory/schema/vocabularies/compatibility";
import type { EvaluationInput, TemplateSide } from "../evaluation/evaluation-input.js";

/** A change to the set. With ChangeVersion a `packageName` of null means the template; see `applyMove`. */
export interface Move {
  action: CompatibilityAction;
  packageName: string | null;
  fromVersion: string | null;
  toVersion: string | null;
  runtime: string | null;
  /** With Replace: the package that comes in, at `toVersion`. */
  replacedBy: string | null;
}

/** A move and what an evaluation showed after it. */
export interface Resolution extends Move {
  verified: boolean;
  resolvesAll: boolean;
}

const nothing: Omit<Move, "action"> = {
  packageName: null,
  fromVersion: null,
  toVersion: null,
  runtime: null,
  replacedBy: null,
};

type Versions = readonly [from: string | null, to: string | null];

/** Changes a package, or with null the template, to another version. */
export function changeVersion(packageName: string | null, [fromVersion, toVersion]: Versions): Move {
  return { ...nothing, action: "ChangeVersion", packageName, fromVersion, toVersion };
}

/** Lists the package only once, at the version `to`. */
export function keepOnlyVersion(packageName: string, [fromVersion, toVersion]: Versions): Move {
  return { ...nothing, action: "Remove", packageName, fromVersion, toVersion };
}

/** Removes the package from the set. */
export function remove(packageName: string, fromVersion: string): Move {
  return { ...nothing, action: "Remove", packageName, fromVersion };
}

/** Replaces a package with another one at the version `to`. */
export function replace(packageName: string, replacedBy: string, [fromVersion, toVersion]: Versions): Move {
  return { ...nothing, action: "Replace", packageName, replacedBy, fromVersion, toVersion };
}

/** Adds a package to the set. */
export function add(packageName: string, toVersion: string): Move {
  return { ...nothing, action: "Add", packageName, toVersion };
}

/** Changes the project's runtime. */
export function changeRuntime(runtime: Framework): Move {
  return { ...nothing, action: "ChangeRuntime", runtime: frameworkName(runtime) };
}

/** The input after a move. A package that the move names is listed once, or not at all. */
export function applyMove(input: EvaluationInput, move: Move): EvaluationInput {
  const { action, packageName, toVersion, runtime, replacedBy } = move;
  if (action === "ChangeRuntime") {
    const framework = parseFramework(runtime ?? "");
    return framework === undefined ? input : { ...input, runtime: framework };
  }
  if (packageName === null) return changeTemplate(input, toVersion);
  const libraries = input.libraries.filter((library) => !sameName(library.packageName, packageName));
  const version = toVersion ?? "";
  if (action !== "Remove" || toVersion !== null) libraries.push({ packageName: replacedBy ?? packageName, version });
  return { ...input, libraries };
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function changeTemplate(input: EvaluationInput, semanticVersion: string | null): EvaluationInput {
  const { template } = input;
  const next = template?.otherVersions.find((version) => version.semanticVersion === semanticVersion);
  if (template === undefined || next === undefined) return input;
  const { otherVersions, templateVersionId: _left, ...leftMembers } = template;
  const others = [...otherVersions.filter((version) => version !== next), leftMembers];
  // the other versions have no ids, and no rule reads the id
  const changedTemplate: TemplateSide = { ...next, templateVersionId: "", otherVersions: others };
  return { ...input, template: changedTemplate };
}
