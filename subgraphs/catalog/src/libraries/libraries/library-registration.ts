import { isPackageId } from "@factory/nuget/package-id";
import { InputProblems } from "../../ground/input-problems/input-problems.js";
import { packageIdDetail } from "../../ground/input-problems/nuget-details.js";
import type { RegisterLibraryInput } from "./library.input.js";
import { checkRanges, checkVersion, type NewLibraryVersion } from "./library-version-check.js";

/** Checks a new library with its versions. Throws LIBRARIES_INVALID with everything that is wrong. */
export function checkNewLibrary(input: RegisterLibraryInput): NewLibraryVersion[] {
  const problems = new InputProblems("LIBRARIES_INVALID");
  if (!isPackageId(input.packageName)) problems.add("/packageName", "FORMAT", packageIdDetail(input.packageName));
  const dependencies = checkRanges(input.dependencies, "/dependencies", problems).map((range) => ({
    ...range,
    targetFramework: null,
  }));
  const conflictsWith = checkRanges(input.conflictsWith, "/conflictsWith", problems);
  const seenVersions = new Set<string>();
  const versions = (input.versions ?? []).map((versionInput, index): NewLibraryVersion => {
    const pointer = `/versions/${index}`;
    const version = checkVersion(versionInput, pointer, problems);
    if (version.versionKey !== "" && seenVersions.has(version.versionKey))
      problems.add(
        `${pointer}/semanticVersion`,
        "DUPLICATE",
        `The version ${versionInput.semanticVersion} is listed twice. List each version once.`,
      );
    seenVersions.add(version.versionKey);
    return {
      ...version,
      dependencies: [...dependencies, ...version.dependencies],
      conflictsWith: [...conflictsWith, ...version.conflictsWith],
    };
  });
  problems.refuse("The library cannot be registered. See errors for each value that must change.");
  return versions;
}
