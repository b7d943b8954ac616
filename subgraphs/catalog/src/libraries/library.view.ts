import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { compareVersions, parseVersion } from "../nuget/version.js";
import type { LibraryCapability } from "./library.entity.js";
import type { LibraryVersionState } from "./library.states.js";
import type { LibraryType, LibraryVersionType } from "./library.type.js";
import type { PackageRange } from "./library-version.entity.js";

export interface LibraryVersionRow {
  library_version_id: string;
  semantic_version: string;
  target_frameworks: string[];
  dependencies: PackageRange[];
  conflicts_with: PackageRange[];
  status: LibraryVersionState;
}

/** A row of `libraries` with its versions, as PostgreSQL gives it. */
export interface LibraryRow {
  library_id: string;
  package_name: string;
  area: string | null;
  owner: string | null;
  capabilities: LibraryCapability[];
  tags: string[];
  status: "Active";
  created_at: Date;
  versions: LibraryVersionRow[] | null;
}

export function libraryView(row: LibraryRow): LibraryType {
  const { package_name, area, owner, capabilities, tags, status } = row;
  return {
    libraryId: encodeId("lib", row.library_id),
    packageName: package_name,
    area,
    owner,
    capabilities,
    tags,
    status,
    createdAt: row.created_at.toISOString(),
    versions: (row.versions ?? []).map(libraryVersionView).sort(highestFirst),
  };
}

function libraryVersionView(row: LibraryVersionRow): LibraryVersionType {
  return {
    libraryVersionId: encodeId("lbv", row.library_version_id),
    semanticVersion: row.semantic_version,
    targetFramework: row.target_frameworks[0] ?? null,
    targetFrameworks: row.target_frameworks,
    status: row.status,
  };
}

/** NuGet's order; what does not read as a version stands last. */
export function highestFirst(a: { semanticVersion: string }, b: { semanticVersion: string }): number {
  const [one, other] = [parseVersion(a.semanticVersion), parseVersion(b.semanticVersion)];
  if (!one || !other) return Number(!one) - Number(!other);
  return compareVersions(other, one);
}
