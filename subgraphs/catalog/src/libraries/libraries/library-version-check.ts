import { type Framework, frameworkName, parseFramework, readFramework } from "@factory/nuget/framework";
import { isCompatible } from "@factory/nuget/framework-compatibility";
import { isPackageId } from "@factory/nuget/package-id";
import { formatVersion, parseVersion } from "@factory/nuget/version";
import { isEmpty, parseRange } from "@factory/nuget/version-range";
import type { InputProblems } from "../../ground/input-problems/input-problems.js";
import {
  emptyRangeDetail,
  frameworkDetail,
  packageIdDetail,
  rangeDetail,
  versionDetail,
} from "../../ground/input-problems/nuget-details.js";
import { knownReason, reasonDetail } from "../deprecations/deprecation-reason.js";
import type {
  DeprecateLibraryVersionInput,
  LibraryVersionInput,
  PackageDependencyInput,
  PackageRangeInput,
} from "./library.input.js";
import type { Deprecation, LibraryVersion, PackageDependency, PackageRange } from "./library-version.entity.js";

/** A version's members after the checks, as they are stored. */
export type NewLibraryVersion = Omit<
  LibraryVersion,
  | "tenantId"
  | "libraryVersionId"
  | "libraryId"
  | "status"
  | "createdAt"
  | "retirementReason"
  | "resolvedRef"
  | "license"
>;

/** Checks a version in a request and adds what is wrong with it to `problems`. */
export function checkVersion(input: LibraryVersionInput, pointer: string, problems: InputProblems): NewLibraryVersion {
  const version = parseVersion(input.semanticVersion);
  if (!version) problems.add(`${pointer}/semanticVersion`, "FORMAT", versionDetail(input.semanticVersion));
  const { maxRuntime, targetFramework, deprecation } = input;
  const dependencies = checkDependencies(input.dependencies, `${pointer}/dependencies`, problems);
  const groups = dependencies.flatMap(({ targetFramework: group }) => group ?? []);
  const namedGroups = checkGroups(input.dependencyGroups ?? [], `${pointer}/dependencyGroups`, problems);
  return {
    semanticVersion: input.semanticVersion,
    versionKey: version ? formatVersion(version).toLowerCase() : "",
    targetFrameworks: checkFrameworks(
      [...(targetFramework == null ? [] : [targetFramework]), ...(input.targetFrameworks ?? [])],
      `${pointer}/targetFrameworks`,
      problems,
    ),
    dependencies,
    dependencyGroups: [...new Set([...namedGroups, ...groups])],
    conflictsWith: checkRanges(input.conflictsWith, `${pointer}/conflictsWith`, problems),
    consumes: [...new Set(input.consumes ?? [])],
    maxRuntime:
      maxRuntime == null ? null : (checkFrameworks([maxRuntime], `${pointer}/maxRuntime`, problems)[0] ?? null),
    vulnerabilities: (input.vulnerabilities ?? []).map(({ severity, advisoryUrl }) => ({ severity, advisoryUrl })),
    deprecation: deprecation == null ? null : checkDeprecation(deprecation, `${pointer}/deprecation`, problems),
  };
}

export function checkDeprecation(
  { reason, message, alternatePackage }: DeprecateLibraryVersionInput,
  pointer: string,
  problems: InputProblems,
): Deprecation {
  const reasonName = knownReason(reason);
  if (!reasonName) problems.add(`${pointer}/reason`, "UNKNOWN_VALUE", reasonDetail);
  return {
    reason: reasonName ?? "Other",
    message: message ?? null,
    alternatePackage:
      alternatePackage == null ? null : checkRange(alternatePackage, `${pointer}/alternatePackage`, problems),
  };
}

export function checkRanges(
  ranges: readonly PackageRangeInput[] | null | undefined,
  pointer: string,
  problems: InputProblems,
): PackageRange[] {
  return (ranges ?? []).map((range, index) => checkRange(range, `${pointer}/${index}`, problems));
}

function checkRange({ packageName, range }: PackageRangeInput, pointer: string, problems: InputProblems): PackageRange {
  if (!isPackageId(packageName)) problems.add(`${pointer}/packageName`, "FORMAT", packageIdDetail(packageName));
  const parsedRange = range == null ? undefined : parseRange(range);
  if (range != null && !parsedRange) problems.add(`${pointer}/range`, "FORMAT", rangeDetail(range));
  if (parsedRange && isEmpty(parsedRange))
    problems.add(`${pointer}/range`, "FORMAT", emptyRangeDetail(parsedRange.text));
  return { packageName, range: range ?? null };
}

function checkDependencies(
  dependencies: readonly PackageDependencyInput[] | null | undefined,
  pointer: string,
  problems: InputProblems,
): PackageDependency[] {
  return (dependencies ?? []).map((dependency, index) => {
    const { targetFramework } = dependency;
    const [group = null] =
      targetFramework == null ? [] : checkGroups([targetFramework], `${pointer}/${index}/targetFramework`, problems);
    return { ...checkRange(dependency, `${pointer}/${index}`, problems), targetFramework: group };
  });
}

/**
 * Checks the frameworks of dependency groups. Besides project frameworks, `any` is allowed: the group for all others.
 */
function checkGroups(monikers: readonly string[], pointer: string, problems: InputProblems): string[] {
  return monikers.flatMap((moniker) => {
    const framework = readFramework(moniker);
    if (framework.identifier === "Any" || parseFramework(moniker)) return frameworkName(framework);
    problems.add(pointer, "UNKNOWN_VALUE", frameworkDetail(moniker));
    return [];
  });
}

/** Checks target frameworks and returns each once, the one that most projects can use first. */
function checkFrameworks(monikers: readonly string[], pointer: string, problems: InputProblems): string[] {
  const frameworks = new Map<string, Framework>();
  for (const moniker of monikers) {
    const framework = parseFramework(moniker);
    if (framework) frameworks.set(frameworkName(framework), framework);
    else problems.add(pointer, "UNKNOWN_VALUE", frameworkDetail(moniker));
  }
  return [...frameworks].sort(([, a], [, b]) => lowestFirst(a, b)).map(([name]) => name);
}

function lowestFirst(a: Framework, b: Framework): number {
  const [aConsumesB, bConsumesA] = [isCompatible(a, b), isCompatible(b, a)];
  if (aConsumesB === bConsumesA) return 0;
  return bConsumesA ? -1 : 1;
}
