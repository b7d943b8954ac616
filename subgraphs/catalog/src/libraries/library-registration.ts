import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { type Framework, frameworkName, parseFramework } from "../nuget/framework.js";
import { isCompatible } from "../nuget/framework-compatibility.js";
import { formatVersion, parseVersion } from "../nuget/version.js";
import { parseRange } from "../nuget/version-range.js";
import type { LibraryVersionInput, PackageRangeInput, RegisterLibraryInput } from "./library.input.js";
import { isPackageName } from "./library-reference.js";
import type { PackageRange } from "./library-version.entity.js";

export interface NewLibraryVersion {
  semanticVersion: string;
  versionKey: string;
  targetFrameworks: string[];
  dependencies: PackageRange[];
  conflictsWith: PackageRange[];
}

/** The content rules of a new library and its versions, all broken ones in one answer. */
export function checkNewLibrary(input: RegisterLibraryInput): NewLibraryVersion[] {
  const errors: FieldError[] = [];
  if (!isPackageName(input.packageName))
    errors.push({ pointer: "/packageName", code: "FORMAT", detail: "This is no NuGet package id." });
  const inherited = {
    dependencies: ranges(input.dependencies, "/dependencies", errors),
    conflictsWith: ranges(input.conflictsWith, "/conflictsWith", errors),
  };
  const seen = new Set<string>();
  const versions = (input.versions ?? []).map((version, index): NewLibraryVersion => {
    const pointer = `/versions/${index}`;
    const parsed = parseVersion(version.semanticVersion);
    const versionKey = parsed ? formatVersion(parsed).toLowerCase() : "";
    if (!parsed)
      errors.push({ pointer: `${pointer}/semanticVersion`, code: "FORMAT", detail: "This is no NuGet version." });
    else if (seen.has(versionKey))
      errors.push({
        pointer: `${pointer}/semanticVersion`,
        code: "DUPLICATE",
        detail: "This version is listed twice.",
      });
    seen.add(versionKey);
    return {
      semanticVersion: version.semanticVersion,
      versionKey,
      targetFrameworks: frameworks(version, pointer, errors),
      dependencies: [...inherited.dependencies, ...ranges(version.dependencies, `${pointer}/dependencies`, errors)],
      conflictsWith: [...inherited.conflictsWith, ...ranges(version.conflictsWith, `${pointer}/conflictsWith`, errors)],
    };
  });
  if (errors.length > 0)
    throw new DomainError("LIBRARIES_INVALID", { detail: "The library cannot be registered like this.", errors });
  return versions;
}

function ranges(
  given: readonly PackageRangeInput[] | null | undefined,
  pointer: string,
  errors: FieldError[],
): PackageRange[] {
  return (given ?? []).map(({ packageName, range }, index) => {
    if (!isPackageName(packageName))
      errors.push({
        pointer: `${pointer}/${index}/packageName`,
        code: "FORMAT",
        detail: "This is no NuGet package id.",
      });
    if (range != null && !parseRange(range))
      errors.push({ pointer: `${pointer}/${index}/range`, code: "FORMAT", detail: "This is no NuGet version range." });
    return { packageName, range: range ?? null };
  });
}

/** Known monikers, each once, the one that most projects can consume first. */
function frameworks(version: LibraryVersionInput, pointer: string, errors: FieldError[]): string[] {
  const given = [
    ...(version.targetFramework == null ? [] : [version.targetFramework]),
    ...(version.targetFrameworks ?? []),
  ];
  const parsed = new Map<string, Framework>();
  for (const moniker of given) {
    const framework = parseFramework(moniker);
    if (framework) parsed.set(frameworkName(framework), framework);
    else
      errors.push({
        pointer: `${pointer}/targetFrameworks`,
        code: "UNKNOWN_VALUE",
        detail: `${moniker} is no known framework moniker.`,
      });
  }
  return [...parsed].sort(([, a], [, b]) => lowestFirst(a, b)).map(([name]) => name);
}

function lowestFirst(a: Framework, b: Framework): number {
  const [aConsumesB, bConsumesA] = [isCompatible(a, b), isCompatible(b, a)];
  if (aConsumesB === bConsumesA) return 0;
  return bConsumesA ? -1 : 1;
}
