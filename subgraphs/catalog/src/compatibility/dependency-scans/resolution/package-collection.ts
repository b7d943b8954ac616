import { compareText } from "@factory/nuget/text-order";
import { formatVersion, parseVersion } from "@factory/nuget/version";
import type { ScanLimit } from "@factory/schema/vocabularies/compatibility";
import type { Release, Vulnerability } from "../../compatibility/evaluation/catalog-library.js";
import { scanLimits } from "../limits/scan-limits.js";
import type { ScannedPackage, ScannedVulnerability } from "./scanned-package.js";

/** The packages of all projects, direct and transitive. */
export interface ResolvedPackages {
  readonly packages: ScannedPackage[];
  /** The limits that were reached. */
  readonly limits: ScanLimit[];
}

interface FoundVersion {
  readonly packageName: string;
  readonly version: string;
  readonly release: Release | undefined;
  readonly direct: boolean;
  readonly framework: string;
}

interface UnknownVersion {
  readonly packageName: string;
  readonly requested: string | null;
  readonly direct: boolean;
  readonly framework: string;
}

type Growing = Omit<ScannedPackage, "direct" | "frameworks" | "dependsOn"> & {
  direct: boolean;
  readonly frameworks: Set<string>;
  readonly dependsOn: Set<string>;
};

/** Collects the packages of several projects, each version once. */
export class PackageCollection {
  readonly limits = new Set<ScanLimit>();
  readonly #packages = new Map<string, Growing>();
  #dependenciesLeft: number = scanLimits.dependencies;
  #vulnerabilitiesLeft: number = scanLimits.vulnerabilities;

  /** Adds a version, and returns its name inside the scan; undefined where the limit is reached. */
  addVersion({ packageName, version, release, direct, framework }: FoundVersion): string | undefined {
    const parsedVersion = parseVersion(version);
    const ref = `${packageName.toLowerCase()}@${parsedVersion === undefined ? version : formatVersion(parsedVersion).toLowerCase()}`;
    const { status = "Unknown", registered } = release ?? {};
    return this.#add({ direct, framework }, ref, () => ({
      ref,
      packageName,
      version,
      requested: null,
      status,
      libraryVersionId: registered?.libraryVersionId ?? null,
      license: registered?.license ?? null,
      vulnerabilities: this.#registered(registered?.vulnerabilities ?? []),
    }));
  }

  /** Adds a package whose version the catalog does not know. */
  addUnknown({ packageName, requested, direct, framework }: UnknownVersion): string | undefined {
    const ref = `${packageName.toLowerCase()}@?${requested ?? ""}`;
    return this.#add({ direct, framework }, ref, () => ({
      ref,
      packageName,
      version: null,
      requested,
      status: "Unknown",
      libraryVersionId: null,
      license: null,
      vulnerabilities: [],
    }));
  }

  /** Notes that one package depends on another. */
  connect(from: string, to: string): void {
    const dependent = this.#packages.get(from);
    if (dependent === undefined || dependent.dependsOn.has(to)) return;
    this.#dependenciesLeft -= 1;
    if (this.#dependenciesLeft < 0) this.limits.add("Dependencies");
    else dependent.dependsOn.add(to);
  }

  /** The packages, ordered by their names inside the scan. */
  result(): ResolvedPackages {
    const packages = [...this.#packages.values()].map(({ frameworks, dependsOn, ...fields }) => ({
      ...fields,
      frameworks: [...frameworks].sort(compareText),
      dependsOn: [...dependsOn].sort(compareText),
    }));
    return { packages: packages.sort((a, b) => compareText(a.ref, b.ref)), limits: [...this.limits] };
  }

  #registered(vulnerabilities: readonly Vulnerability[]): ScannedVulnerability[] {
    const keptVulnerabilities = vulnerabilities.slice(0, this.#vulnerabilitiesLeft);
    this.#vulnerabilitiesLeft -= keptVulnerabilities.length;
    if (keptVulnerabilities.length < vulnerabilities.length) this.limits.add("Advisories");
    return keptVulnerabilities.map(({ severity, advisoryUrl }) => ({
      advisoryId: null,
      severity,
      summary: null,
      aliases: [],
      url: advisoryUrl,
      fixedVersions: [],
    }));
  }

  #add(
    { direct, framework }: { direct: boolean; framework: string },
    ref: string,
    create: () => Omit<Growing, "direct" | "frameworks" | "dependsOn">,
  ): string | undefined {
    let collectedPackage = this.#packages.get(ref);
    if (collectedPackage === undefined) {
      if (this.#packages.size >= scanLimits.packages) {
        this.limits.add("Packages");
        return undefined;
      }
      collectedPackage = { ...create(), direct: false, frameworks: new Set(), dependsOn: new Set() };
      this.#packages.set(ref, collectedPackage);
    }
    collectedPackage.direct ||= direct;
    collectedPackage.frameworks.add(framework);
    return ref;
  }
}
