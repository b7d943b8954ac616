import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { AdvisorySeverity } from "../../../libraries/advisories/advisory-severity.js";

// tables: dependency_scans, libraries, library_versions

/** A scanned package's members that decide whether its template version may be published. */
export interface StoredPackage {
  readonly packageName: string;
  readonly version: string | null;
  readonly requested: string | null;
  readonly libraryVersionId: string | null;
}

/** A library version's present facts. */
interface LibraryFacts {
  readonly isRecalled: boolean;
  /** The vulnerabilities that were registered with the version. */
  readonly vulnerabilities: readonly { readonly severity: AdvisorySeverity; readonly advisoryUrl: string }[];
}

interface NewestScan extends Record<string, unknown> {
  render_digest: string | null;
  limits: string[];
  packages: StoredPackage[];
}

/** A template version's newest scan. */
export async function newestScan(
  { execute, tenant }: Transaction,
  templateVersionId: string,
): Promise<NewestScan | undefined> {
  const [newest] = await execute<NewestScan>(
    `select render_digest, limits, packages from dependency_scans
     where tenant_id = $1 and template_version_id = $2 order by dependency_scan_id desc limit 1`,
    [tenant.uuid, decodeId("tpv", templateVersionId)],
  );
  return newest;
}

/** The facts about those versions that are recalled or vulnerable. */
export async function libraryFacts(
  { execute, tenant }: Transaction,
  libraryVersionIds: readonly string[],
): Promise<ReadonlyMap<string, LibraryFacts>> {
  const rows = await execute<{
    library_version_id: string;
    status: string;
    vulnerabilities: LibraryFacts["vulnerabilities"];
  }>(
    `select library_version_id, status, vulnerabilities from library_versions
     where tenant_id = $1 and library_version_id = any($2) and (status = 'Retired' or vulnerabilities <> '[]')`,
    [tenant.uuid, libraryVersionIds.flatMap((id) => decodeId("lbv", id) ?? [])],
  );
  return new Map(
    rows.map(({ library_version_id, status, vulnerabilities }) => [
      encodeId("lbv", library_version_id),
      { isRecalled: status === "Retired", vulnerabilities },
    ]),
  );
}

/** The packages (by name in lower case) among these that have a version with a registered vulnerability. */
export async function vulnerablePackages(
  { execute, tenant }: Transaction,
  packageKeys: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await execute<{ package_key: string }>(
    `select package_key from libraries library
     where tenant_id = $1 and package_key = any($2) and exists (
       select from library_versions version
       where version.tenant_id = $1 and version.library_id = library.library_id and vulnerabilities <> '[]')`,
    [tenant.uuid, packageKeys],
  );
  return new Set(rows.map(({ package_key }) => package_key));
}
