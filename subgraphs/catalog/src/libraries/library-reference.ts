import { isPackageId } from "@factory/nuget/package-id";
import { parseVersion } from "@factory/nuget/version";
import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";

export interface LibraryReference {
  packageName: string;
  version: string;
}

/** Names and versions must read as NuGet's; with `distinct` a package may be listed once only. */
export function checkLibraries(libraries: readonly LibraryReference[], options: { distinct: boolean }): void {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { packageName, version }] of libraries.entries()) {
    const pointer = `/libraries/${index}`;
    if (!isPackageId(packageName))
      errors.push({ pointer: `${pointer}/packageName`, code: "FORMAT", detail: "This is no NuGet package id." });
    if (!parseVersion(version))
      errors.push({ pointer: `${pointer}/version`, code: "FORMAT", detail: "This is no NuGet version." });
    if (options.distinct && seen.has(packageName.toLowerCase()))
      errors.push({ pointer, code: "DUPLICATE", detail: `${packageName} is listed twice.` });
    seen.add(packageName.toLowerCase());
  }
  if (errors.length > 0)
    throw new DomainError("LIBRARIES_INVALID", { detail: "The list of libraries is not usable.", errors });
}
