import { parseVersion } from "@factory/nuget/version";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { doAtOnce, type PausableWork } from "@factory/runtime/threads/long-work";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { AdvisorySeverity } from "./advisory-severity.js";
import { type AffectedInterval, AffectedTest, fixedVersions } from "./affected-versions.js";

interface MatchRow extends Record<string, unknown> {
  package_key: string;
  advisory_id: string;
  severity: AdvisorySeverity | null;
  summary: string | null;
  aliases: string[];
  url: string | null;
  intervals: AffectedInterval[];
  versions: string[];
  /** The number of rows, with those beyond the byte limit. */
  total?: number;
}

/** An imported advisory that affects a package version. */
export interface MatchedAdvisory {
  readonly advisoryId: string;
  readonly severity: AdvisorySeverity | null;
  readonly summary: string | null;
  readonly aliases: readonly string[];
  readonly url: string | null;
  readonly fixedVersions: readonly string[];
}

/** The limits for one comparison, since a tenant chooses its packages, its versions and its advisories. */
interface MatchLimits {
  readonly advisories: number;
  readonly matches: number;
}

/** The comparisons in one scan or publication: a fraction of a second. */
const maxComparisons = 200_000;
/** Bytes in the affected versions that are read at once. */
const maxBytes = 8 * 1024 * 1024;

/** The `MatchRow` rows up to the limits, in the order of packages and advisories. */
const rowsOf = (tenant: string) => `select * from (
    select *, count(*) over ()::int as total,
      sum(octet_length(intervals::text) + octet_length(array_to_string(versions, ','))) over (order by package_key, advisory_id) as bytes
    from (
      select affected.package_key, affected.advisory_id, coalesce(affected.severity, advisory.severity) as severity,
        advisory.summary, advisory.aliases, advisory.url, affected.intervals, affected.versions
      from advisory_packages affected join advisories advisory using (tenant_id, advisory_id)
      where tenant_id = ${tenant} and package_key = any($2) and advisory.withdrawn_at is null
      order by package_key, advisory_id limit $3) listed) measured
  where bytes <= ${maxBytes} order by package_key, advisory_id`;
const rowsInTransaction = rowsOf("$1");
const matchingRows = tenantStatement("matching_advisories", rowsOf("scope.tenant"));

/** The imported advisories about some packages. */
export class PackageAdvisories {
  readonly #rows = new Map<string, { readonly row: MatchRow; test: AffectedTest | undefined }[]>();
  #comparisonsLeft = maxComparisons;
  #matchesLeft: number;
  #isCut: boolean;

  constructor(rows: readonly MatchRow[], limits: MatchLimits) {
    this.#isCut = rows.length >= limits.advisories || rows.length < (rows[0]?.total ?? 0);
    this.#matchesLeft = limits.matches;
    for (const row of rows) {
      const entries = this.#rows.get(row.package_key);
      const entry = { row, test: undefined };
      if (entries === undefined) this.#rows.set(row.package_key, [entry]);
      else entries.push(entry);
    }
  }

  /** Whether no limit was reached so far. */
  get complete(): boolean {
    return !this.#isCut;
  }

  /** Whether any advisory is about the package. */
  concern(packageName: string): boolean {
    return this.#rows.has(packageName.toLowerCase());
  }

  /** The advisories that affect the version. */
  affecting(packageName: string, text: string): MatchedAdvisory[] {
    return doAtOnce(this.matching(packageName, text));
  }

  /** As `affecting`, with a pause after each advisory. */
  *matching(packageName: string, text: string): PausableWork<MatchedAdvisory[]> {
    const version = parseVersion(text);
    if (version === undefined) return [];
    const matchingAdvisories: MatchedAdvisory[] = [];
    for (const entry of this.#rows.get(packageName.toLowerCase()) ?? []) {
      const { row } = entry;
      this.#comparisonsLeft -= 1 + row.intervals.length;
      if (this.#comparisonsLeft < 0 || this.#matchesLeft <= 0) {
        this.#isCut = true;
        break;
      }
      yield;
      // each text is parsed once, and only where its package is compared
      entry.test ??= new AffectedTest(row);
      if (!entry.test.includes(version)) continue;
      this.#matchesLeft -= 1;
      matchingAdvisories.push(matchedAdvisory(row));
    }
    return matchingAdvisories;
  }
}

function matchedAdvisory(row: MatchRow): MatchedAdvisory {
  const { advisory_id, severity, summary, aliases, url, intervals, versions } = row;
  return {
    advisoryId: advisory_id,
    severity,
    summary,
    aliases,
    url,
    fixedVersions: fixedVersions({ intervals, versions }),
  };
}

/** Reads the advisories about the packages, up to the limits. Withdrawn ones are left out. */
export async function advisoriesAbout(
  { execute, tenant }: Pick<Transaction, "execute" | "tenant">,
  packageNames: readonly string[],
  limits: MatchLimits,
): Promise<PackageAdvisories> {
  const rows = await execute<MatchRow>(rowsInTransaction, [tenant.uuid, keysOf(packageNames), limits.advisories]);
  return new PackageAdvisories(rows, limits);
}

/** As `advisoriesAbout`, outside a transaction. */
export async function readAdvisories(
  { reader }: Pick<Database, "reader">,
  tenant: Tenant,
  { packageNames, limits }: { packageNames: readonly string[]; limits: MatchLimits },
): Promise<PackageAdvisories> {
  const rows = await reader.rows<MatchRow>(matchingRows, tenant, keysOf(packageNames), limits.advisories);
  return new PackageAdvisories(rows, limits);
}

function keysOf(packageNames: readonly string[]): string[] {
  return [...new Set(packageNames.map((name) => name.toLowerCase()))];
}
