import { parseVersion } from "@factory/nuget/version";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
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
}

/** An imported advisory that affects a version of a package. */
export interface MatchedAdvisory {
  readonly advisoryId: string;
  readonly severity: AdvisorySeverity | null;
  readonly summary: string | null;
  readonly aliases: readonly string[];
  readonly url: string | null;
  readonly fixedVersions: readonly string[];
}

/** The limits of one comparison, since a tenant chooses its packages, its versions and its advisories. */
interface MatchLimits {
  readonly advisories: number;
  readonly matches: number;
}

/** The comparisons of one scan or publication: a fraction of a second. */
const maxComparisons = 200_000;

/** The imported advisories about some packages. */
export class PackageAdvisories {
  readonly #rows = new Map<string, { readonly row: MatchRow; readonly test: AffectedTest }[]>();
  #comparisonsLeft = maxComparisons;
  #matchesLeft: number;
  #isCut: boolean;

  constructor(rows: readonly MatchRow[], limits: MatchLimits) {
    this.#isCut = rows.length >= limits.advisories;
    this.#matchesLeft = limits.matches;
    for (const row of rows) {
      const known = this.#rows.get(row.package_key);
      const entry = { row, test: new AffectedTest(row) };
      if (known === undefined) this.#rows.set(row.package_key, [entry]);
      else known.push(entry);
    }
  }

  /** Whether no limit was reached so far. */
  get complete(): boolean {
    return !this.#isCut;
  }

  /** The advisories that affect the version. */
  affecting(packageName: string, text: string): MatchedAdvisory[] {
    const version = parseVersion(text);
    if (version === undefined) return [];
    const matched: MatchedAdvisory[] = [];
    for (const { row, test } of this.#rows.get(packageName.toLowerCase()) ?? []) {
      this.#comparisonsLeft -= test.cost;
      if (this.#comparisonsLeft < 0 || this.#matchesLeft <= 0) {
        this.#isCut = true;
        break;
      }
      if (!test.includes(version)) continue;
      this.#matchesLeft -= 1;
      matched.push(matchedAdvisory(row));
    }
    return matched;
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

/** Reads the advisories about the packages, up to the limit. Withdrawn ones are left out. */
export async function advisoriesAbout(
  { execute, tenant }: Pick<Transaction, "execute" | "tenant">,
  packageNames: readonly string[],
  limits: MatchLimits,
): Promise<PackageAdvisories> {
  const keys = [...new Set(packageNames.map((name) => name.toLowerCase()))];
  const rows = await execute<MatchRow>(
    `select affected.package_key, affected.advisory_id, coalesce(affected.severity, advisory.severity) as severity,
       advisory.summary, advisory.aliases, advisory.url, affected.intervals, affected.versions
     from advisory_packages affected join advisories advisory using (tenant_id, advisory_id)
     where tenant_id = $1 and package_key = any($2) and advisory.withdrawn_at is null
     order by package_key, advisory_id limit $3`,
    [tenant.uuid, keys, limits.advisories],
  );
  return new PackageAdvisories(rows, limits);
}
