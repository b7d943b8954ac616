import { isPackageId } from "@factory/nuget/package-id";
import { parseVersion } from "@factory/nuget/version";
import { InputProblems } from "../../ground/input-problems/input-problems.js";
import { packageIdDetail, versionDetail } from "../../ground/input-problems/nuget-details.js";

/** One package version as a request lists it. */
export interface LibraryReference {
  packageName: string;
  version: string;
}

/**
 * Throws LIBRARIES_INVALID where a package name or a version is not valid in NuGet; with `distinct` also where a package
 * is listed twice.
 */
export function checkLibraries(libraries: readonly LibraryReference[], options: { distinct: boolean }): void {
  const problems = new InputProblems("LIBRARIES_INVALID");
  const seenKeys = new Set<string>();
  for (const [index, { packageName, version }] of libraries.entries()) {
    const pointer = `/libraries/${index}`;
    if (!isPackageId(packageName)) problems.add(`${pointer}/packageName`, "FORMAT", packageIdDetail(packageName));
    if (!parseVersion(version)) problems.add(`${pointer}/version`, "FORMAT", versionDetail(version));
    if (options.distinct && seenKeys.has(packageName.toLowerCase()))
      problems.add(pointer, "DUPLICATE", `The package ${packageName} is listed twice. List each package once.`);
    seenKeys.add(packageName.toLowerCase());
  }
  problems.refuse("The list of libraries is not valid. See errors for each library that must change.");
}
