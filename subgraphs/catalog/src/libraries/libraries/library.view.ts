import { compareVersions, parseVersion } from "@factory/nuget/version";
import { type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { Library, type LibraryCapability } from "./library.entity.js";
import type { LibraryVersionState, ReleasedState } from "./library.states.js";
import type { LibraryType, LibraryVersionType } from "./library.type.js";
import { LibraryVersion, type PackageDependency } from "./library-version.entity.js";

/** The library columns that its view needs. */
export const libraryMembers = [
  ...[
    "libraryId",
    "packageName",
    "title",
    "description",
    "area",
    "owner",
    "capabilities",
    "tags",
    "status",
    "createdAt",
  ],
] as const satisfies readonly (keyof Library)[];

type LibraryRecord = RecordOf<Library, (typeof libraryMembers)[number]>;
type VersionRecord = Omit<RecordOf<LibraryVersion>, "tenantId" | "versionKey">;

/** Some columns from a `libraries` row, for the slices above. */
export type LibraryColumns<Member extends keyof Library & string> = RowOf<Library, Member>;

/** A row from `libraries` with its versions. */
export type LibraryRow<State = LibraryVersionState> = RowOf<Library, (typeof libraryMembers)[number]> & {
  versions: (Omit<RowOf<LibraryVersion>, "status"> & { status: State })[] | null;
};

/** A row from `libraries` with its released versions only. */
export type ReleasedLibraryRow = LibraryRow<ReleasedState>;

const readLibrary = rowReader(Library);
const readVersion = rowReader(LibraryVersion);

export const libraryView = ({ versions, ...row }: LibraryRow): LibraryType =>
  libraryRecordView(readLibrary(row), (versions ?? []).map(readVersion));

function capabilityView({ name, contract, exclusive = false }: LibraryCapability) {
  return { name, contract, exclusive };
}

function dependencyView({ packageName, range, targetFramework = null }: PackageDependency) {
  return { packageName, range, targetFramework };
}

/** The view for a library that was read or just written. */
export function libraryRecordView(library: LibraryRecord, versions: readonly VersionRecord[]): LibraryType {
  const { libraryId, packageName, title, description, area, owner, capabilities, tags, status, createdAt } = library;
  return {
    libraryId,
    packageName,
    title,
    description,
    area,
    owner,
    capabilities: capabilities.map(capabilityView),
    tags,
    status,
    createdAt: createdAt.toISOString(),
    versions: versions.map(libraryVersionView).sort(highestFirst),
  };
}

/** The view for a version that was read or just written. */
export function libraryVersionView(version: VersionRecord): LibraryVersionType {
  const { libraryVersionId, libraryId, semanticVersion, status, targetFrameworks, dependencyGroups } = version;
  const { conflictsWith, consumes, maxRuntime, vulnerabilities, deprecation, license } = version;
  const { retirementReason, resolvedRef, dependencies, createdAt } = version;
  return {
    ...{ libraryVersionId, libraryId, semanticVersion, status, targetFrameworks, dependencyGroups },
    ...{ conflictsWith, consumes, maxRuntime, vulnerabilities, deprecation, license, retirementReason, resolvedRef },
    dependencies: dependencies.map(dependencyView),
    targetFramework: targetFrameworks[0] ?? null,
    createdAt: createdAt.toISOString(),
  };
}

/** Orders versions as NuGet does, the highest first. Texts that are not valid versions come last. */
export function highestFirst(a: { semanticVersion: string }, b: { semanticVersion: string }): number {
  const [versionA, versionB] = [parseVersion(a.semanticVersion), parseVersion(b.semanticVersion)];
  if (!versionA || !versionB) return Number(!versionA) - Number(!versionB);
  return compareVersions(versionB, versionA);
}
