import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { doAtOnce, longWork, type PausableWork } from "@factory/runtime/threads/long-work";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { ScanLimit } from "@factory/schema/vocabularies/compatibility";
import { type AdvisoryRevisions, changedSince, readRevisions } from "../../libraries/advisories/advisory-revisions.js";
import {
  advisoriesAbout,
  type PackageAdvisories,
  readAdvisories,
} from "../../libraries/advisories/matching-advisories.js";
import { withAdvisories } from "./known-vulnerabilities.js";
import { scanLimits } from "./limits/scan-limits.js";
import type { ScannedPackage } from "./resolution/scanned-package.js";
import { withinSize } from "./stored-size.js";

/** A scan's packages as they are stored, with the limits that they have reached. */
export interface StorablePackages {
  readonly packages: ScannedPackage[];
  readonly limits: readonly ScanLimit[];
}

/** Packages that were compared with the advisories of a moment. */
interface MatchedPackages {
  /** Without the size limit. */
  readonly all: readonly ScannedPackage[];
  readonly complete: boolean;
  readonly storable: StorablePackages;
  readonly revisions: AdvisoryRevisions;
}

const limits = { advisories: scanLimits.advisories, matches: scanLimits.vulnerabilities };

/** Compares the packages with the advisories before a transaction, with pauses. */
export async function matchBefore(
  database: Pick<Database, "reader">,
  tenant: Tenant,
  packages: readonly ScannedPackage[],
): Promise<MatchedPackages> {
  // the revisions come first, so that a change between the two reads counts as a change
  const revisions = await readRevisions(database, tenant, keysOf(packages));
  const packageNames = packages.map(({ packageName }) => packageName);
  const advisories = await readAdvisories(database, tenant, { packageNames, limits });
  const all = await longWork.run(tenant.tenantId, withAdvisories(packages, advisories));
  const { complete } = advisories;
  return { all, complete, storable: await longWork.run(tenant.tenantId, storable(all, complete)), revisions };
}

/** Compares the packages anew whose advisories have changed, so that no import that was committed is missed. */
export async function matchAgain(
  transaction: Transaction,
  packages: readonly ScannedPackage[],
  matchedPackages: MatchedPackages,
): Promise<StorablePackages> {
  const changedKeys = new Set(await changedSince(transaction, keysOf(packages), matchedPackages.revisions));
  if (changedKeys.size === 0) return matchedPackages.storable;
  const advisories = await advisoriesAbout(transaction, [...changedKeys], limits);
  return doAtOnce(joined(packages, matchedPackages, { changed: changedKeys, advisories }));
}

function* joined(
  packages: readonly ScannedPackage[],
  matchedPackages: MatchedPackages,
  { changed, advisories }: { changed: ReadonlySet<string>; advisories: PackageAdvisories },
): PausableWork<StorablePackages> {
  const again = packages.filter((scannedPackage) => changed.has(keyOf(scannedPackage)));
  const anew = new Map(
    (yield* withAdvisories(again, advisories)).map((scannedPackage) => [scannedPackage.ref, scannedPackage]),
  );
  const all = matchedPackages.all.map((scannedPackage) => anew.get(scannedPackage.ref) ?? scannedPackage);
  return yield* storable(all, matchedPackages.complete && advisories.complete);
}

function* storable(all: readonly ScannedPackage[], isMatched: boolean): PausableWork<StorablePackages> {
  const { packages, complete } = yield* withinSize(all, scanLimits.bytes);
  const reachedLimits: ScanLimit[] = isMatched ? [] : ["Advisories"];
  return { packages, limits: complete ? reachedLimits : [...reachedLimits, "Size"] };
}

function keysOf(packages: readonly ScannedPackage[]): string[] {
  return [...new Set(packages.map(keyOf))];
}

function keyOf({ packageName }: ScannedPackage): string {
  return packageName.toLowerCase();
}
