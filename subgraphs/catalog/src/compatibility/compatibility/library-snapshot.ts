import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { ReleasedLibraryRow } from "../../libraries/libraries/library.view.js";
import type { CatalogLibrary } from "./evaluation/catalog-library.js";
import {
  libraryRevisions,
  loadLibraries,
  maxLibraries,
  type ReachedLibraryRow,
  reachedLibraries,
} from "./library-snapshot-statement.js";

/** The libraries that one evaluation needs. */
interface LibrarySnapshot {
  /** By package name in lower case. */
  readonly catalog: ReadonlyMap<string, CatalogLibrary>;
  /** Each library's id and revision; equal lists mean equal catalogs. */
  readonly revisions: readonly string[];
}

/** A library at one revision. */
interface CachedLibrary {
  readonly libraryId: string;
  readonly revision: number;
  /** The package names that its versions depend on, in lower case. */
  readonly needs: readonly string[];
  readonly library: CatalogLibrary;
}

const maxCachedVersions = 100_000;

/**
 * Reads the libraries that an evaluation needs: the named ones and everything that their versions depend on. Libraries
 * are cached with their revision. While no revision has changed, one statement that compares the revisions is enough.
 */
export class LibrarySnapshots {
  readonly #reader: Pick<TenantReader, "rows">;
  /** By tenant and package name; null where the catalog has no such library. */
  readonly #cached = new Map<string, CachedLibrary | null>();
  #weight = 0;

  constructor(reader: Pick<TenantReader, "rows">) {
    this.#reader = reader;
  }

  async of(tenant: Tenant, packageNames: readonly string[]): Promise<LibrarySnapshot> {
    const keys = [...new Set(packageNames.map((name) => name.toLowerCase()))];
    return (await this.#fromCache(tenant, keys)) ?? this.#read(tenant, keys);
  }

  /** The cached snapshot, or undefined where a library is not cached or has changed. */
  async #fromCache(tenant: Tenant, keys: readonly string[]): Promise<LibrarySnapshot | undefined> {
    if (!keys.every((key) => this.#cached.has(keyOf(tenant, key)))) return undefined;
    const cachedLibraries = new Map<string, CachedLibrary>();
    const askedKeys = new Set(keys);
    for (const key of askedKeys) {
      if (askedKeys.size > maxLibraries) return undefined;
      const cachedLibrary = this.#cached.get(keyOf(tenant, key));
      if (!cachedLibrary) continue;
      cachedLibraries.set(key, cachedLibrary);
      for (const need of cachedLibrary.needs) askedKeys.add(need);
    }
    const cachedSnapshot = snapshotOf(cachedLibraries);
    // names without a library are included, because one may have been registered since
    const [now] = await this.#reader.rows<{ revisions: string | null }>(libraryRevisions, tenant, [...askedKeys]);
    return (now?.revisions ?? "") === cachedSnapshot.revisions.join(",") ? cachedSnapshot : undefined;
  }

  async #read(tenant: Tenant, keys: readonly string[]): Promise<LibrarySnapshot> {
    const reachedRows = await this.#reader.rows<ReachedLibraryRow>(reachedLibraries, tenant, keys);
    const cachedLibraries = new Map<string, CachedLibrary>();
    const missing = new Map<string, ReachedLibraryRow>();
    for (const row of reachedRows) {
      const cachedLibrary = this.#cached.get(keyOf(tenant, row.package_key));
      if (cachedLibrary && cachedLibrary.libraryId === row.library_id && cachedLibrary.revision === row.revision)
        cachedLibraries.set(row.package_key, cachedLibrary);
      else missing.set(row.library_id, row);
    }
    for (const library of await this.#load(tenant, [...missing.keys()])) {
      const row = missing.get(library.library_id);
      if (row === undefined) continue;
      const { library_id: libraryId, revision, dependency_keys: needs } = row;
      cachedLibraries.set(row.package_key, { libraryId, revision, needs, library: catalogLibrary(library) });
    }
    for (const key of new Set([...keys, ...cachedLibraries.keys()]))
      this.#store(keyOf(tenant, key), cachedLibraries.get(key) ?? null);
    return snapshotOf(cachedLibraries);
  }

  async #load(tenant: Tenant, ids: readonly string[]): Promise<ReleasedLibraryRow[]> {
    return ids.length === 0 ? [] : this.#reader.rows<ReleasedLibraryRow>(loadLibraries, tenant, ids);
  }

  #store(key: string, entry: CachedLibrary | null): void {
    const before = this.#cached.get(key);
    if (before === entry) return;
    if (before !== undefined) this.#drop(key, before);
    this.#cached.set(key, entry);
    this.#weight += weightOf(entry);
    for (const [oldest, value] of this.#cached) {
      if (this.#weight <= maxCachedVersions) return;
      this.#drop(oldest, value);
    }
  }

  #drop(key: string, entry: CachedLibrary | null): void {
    this.#cached.delete(key);
    this.#weight -= weightOf(entry);
  }
}

const keyOf = ({ uuid }: Tenant, packageKey: string) => `${uuid} ${packageKey}`;
const weightOf = (entry: CachedLibrary | null) => 1 + (entry?.library.versions.length ?? 0);

function snapshotOf(libraries: ReadonlyMap<string, CachedLibrary>): LibrarySnapshot {
  return {
    catalog: new Map([...libraries].map(([key, { library }]) => [key, library])),
    revisions: [...libraries.values()].map(({ libraryId, revision }) => `${libraryId} ${revision}`).sort(),
  };
}

function catalogLibrary(row: ReleasedLibraryRow): CatalogLibrary {
  return {
    libraryId: encodeId("lib", row.library_id),
    packageName: row.package_name,
    capabilities: row.capabilities,
    versions: (row.versions ?? []).map((version) => ({
      libraryVersionId: encodeId("lbv", version.library_version_id),
      version: version.semantic_version,
      status: version.status,
      targetFrameworks: version.target_frameworks,
      dependencies: version.dependencies.map(({ packageName, range, targetFramework = null }) => ({
        packageName,
        range: range ?? "0.0.0",
        targetFramework,
      })),
      dependencyGroups: version.dependency_groups,
      conflictsWith: version.conflicts_with,
      consumes: version.consumes,
      vulnerabilities: version.vulnerabilities,
      deprecation: version.deprecation && {
        ...version.deprecation,
        alternatePackage: version.deprecation.alternatePackage?.packageName ?? null,
      },
      license: version.license,
      maxRuntime: version.max_runtime,
    })),
  };
}
