import { type Framework, parseFramework } from "../nuget/framework.js";
import { isCompatible } from "../nuget/framework-compatibility.js";
import { compareVersions, type NugetVersion, parseVersion } from "../nuget/version.js";
import { parseRange, type VersionRange } from "../nuget/version-range.js";
import type { CatalogLibrary, CatalogLibraryVersion } from "./evaluate-input.js";

export interface Dependency {
  readonly packageName: string;
  readonly key: string;
  readonly range: VersionRange;
}

export interface DeclaredConflict {
  readonly packageName: string;
  readonly key: string;
  /** Undefined: with every version. */
  readonly range: VersionRange | undefined;
}

/** A registered version of a library, its texts read. */
export interface Release {
  readonly library: KnownLibrary;
  readonly text: string;
  readonly version: NugetVersion;
  readonly status: CatalogLibraryVersion["status"];
  readonly targetFrameworks: readonly string[];
  readonly dependencies: readonly Dependency[];
  readonly conflicts: readonly DeclaredConflict[];
}

export interface KnownLibrary {
  readonly key: string;
  readonly packageName: string;
  readonly capabilities: CatalogLibrary["capabilities"];
  /** Lowest first. */
  readonly releases: readonly Release[];
}

/** The catalog as one evaluation and all its what-ifs see it: each text is read once. */
export class Snapshot {
  readonly #catalog: ReadonlyMap<string, CatalogLibrary>;
  readonly #libraries = new Map<string, KnownLibrary | undefined>();
  readonly #ranges = new Map<string, VersionRange | undefined>();
  readonly #frameworks = new Map<string, Framework | undefined>();

  constructor(catalog: ReadonlyMap<string, CatalogLibrary>) {
    this.#catalog = catalog;
  }

  library(key: string): KnownLibrary | undefined {
    return remembered(this.#libraries, key, () => {
      const found = this.#catalog.get(key);
      return found && this.#read(found);
    });
  }

  /** Every library of the snapshot, by name. */
  libraries(): KnownLibrary[] {
    return [...this.#catalog.keys()].sort().flatMap((key) => this.library(key) ?? []);
  }

  supports(release: Release, project: Framework): boolean {
    return (
      release.targetFrameworks.length === 0 || this.frameworksOf(release).some((asset) => isCompatible(project, asset))
    );
  }

  frameworksOf({ targetFrameworks }: Release): Framework[] {
    return targetFrameworks.flatMap((text) => remembered(this.#frameworks, text, () => parseFramework(text)) ?? []);
  }

  #read({ packageName, capabilities, versions }: CatalogLibrary): KnownLibrary {
    const releases: Release[] = [];
    const library = { key: packageName.toLowerCase(), packageName, capabilities, releases };
    for (const { version: text, status, targetFrameworks, dependencies, conflictsWith } of versions) {
      const version = parseVersion(text);
      if (version === undefined) continue;
      releases.push({
        library,
        text,
        version,
        status,
        targetFrameworks,
        dependencies: dependencies.flatMap((dependency) => this.#dependency(dependency)),
        conflicts: conflictsWith.flatMap((conflict) => this.#conflict(conflict)),
      });
    }
    releases.sort((a, b) => compareVersions(a.version, b.version));
    return library;
  }

  // ranges are checked when they are stored: one that does not read binds nothing
  #dependency({ packageName, range: text }: { packageName: string; range: string }): Dependency[] {
    const range = this.#range(text);
    return range === undefined ? [] : [{ packageName, key: packageName.toLowerCase(), range }];
  }

  #conflict({ packageName, range: text }: { packageName: string; range: string | null }): DeclaredConflict[] {
    const range = text === null ? undefined : this.#range(text);
    return text !== null && range === undefined ? [] : [{ packageName, key: packageName.toLowerCase(), range }];
  }

  #range(text: string): VersionRange | undefined {
    return remembered(this.#ranges, text, () => parseRange(text));
  }
}

function remembered<T>(memory: Map<string, T>, key: string, compute: () => T): T {
  const known = memory.get(key);
  if (known !== undefined || memory.has(key)) return known as T;
  const value = compute();
  memory.set(key, value);
  return value;
}

export function releaseName({ library, text }: Release): string {
  return `${library.packageName} ${text}`;
}
