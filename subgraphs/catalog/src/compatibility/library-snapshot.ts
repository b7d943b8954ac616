import type { TenantReader } from "@factory/runtime/db/tenant-statement";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { ReleasedLibraryRow } from "../libraries/library.view.js";
import type { CatalogLibrary } from "./evaluation/catalog-library.js";
import {
  libraryRevisions,
  loadLibraries,
  maxLibraries,
  type ReachedLibraryRow,
  reachedLibraries,
} from "./library-snapshot-statement.js";

export interface LibrarySnapshot {
  /** By lower-case package name. */
  readonly catalog: ReadonlyMap<string, CatalogLibrary>;
  /** Equal lists: equal catalogs. */
  readonly revisions: readonly string[];
}

/** What a library held in one revision. */
interface Known {
  readonly libraryId: string;
  readonly revision: number;
  /** Names of all that its versions depend on. */
  readonly needs: readonly string[];
  readonly library: CatalogLibrary;
}

const maxRemembered = 100_000;

/**
 * The libraries that an evaluation has to know: the named ones and all that their versions depend on. What a library
 * holds is remembered with its revision; while no revision has changed, one look at them all is enough.
 */
export class LibrarySnapshots {
  readonly #reader: Pick<TenantReader, "rows">;
  /** By tenant and package name; null: the catalog had no such library. */
  readonly #remembered = new Map<string, Known | null>();
  #weight = 0;

  constructor(reader: Pick<TenantReader, "rows">) {
    this.#reader = reader;
  }

  async of(tenant: Tenant, packageNames: readonly string[]): Promise<LibrarySnapshot> {
    const keys = [...new Set(packageNames.map((name) => name.toLowerCase()))];
    return (await this.#recall(tenant, keys)) ?? this.#read(tenant, keys);
  }

  /** What would be read now, if nothing of it has changed since it was remembered. */
  async #recall(tenant: Tenant, keys: readonly string[]): Promise<LibrarySnapshot | undefined> {
    if (!keys.every((key) => this.#remembered.has(keyOf(tenant, key)))) return undefined;
    const found = new Map<string, Known>();
    const asked = new Set(keys);
    for (const key of asked) {
      if (asked.size > maxLibraries) return undefined;
      const known = this.#remembered.get(keyOf(tenant, key));
      if (!known) continue;
      found.set(key, known);
      for (const need of known.needs) asked.add(need);
    }
    const remembered = snapshotOf(found);
    // names without a library are asked for too: one may have come
    const [now] = await this.#reader.rows<{ revisions: string | null }>(libraryRevisions, tenant, [...asked]);
    return (now?.revisions ?? "") === remembered.revisions.join(",") ? remembered : undefined;
  }

  async #read(tenant: Tenant, keys: readonly string[]): Promise<LibrarySnapshot> {
    const reached = await this.#reader.rows<ReachedLibraryRow>(reachedLibraries, tenant, keys);
    const found = new Map<string, Known>();
    const missing = new Map<string, ReachedLibraryRow>();
    for (const row of reached) {
      const known = this.#remembered.get(keyOf(tenant, row.package_key));
      if (known && known.libraryId === row.library_id && known.revision === row.revision)
        found.set(row.package_key, known);
      else missing.set(row.library_id, row);
    }
    for (const library of await this.#load(tenant, [...missing.keys()])) {
      const row = missing.get(library.library_id);
      if (row === undefined) continue;
      const { library_id: libraryId, revision, dependency_keys: needs } = row;
      found.set(row.package_key, { libraryId, revision, needs, library: catalogLibrary(library) });
    }
    for (const key of new Set([...keys, ...found.keys()])) this.#remember(keyOf(tenant, key), found.get(key) ?? null);
    return snapshotOf(found);
  }

  async #load(tenant: Tenant, ids: readonly string[]): Promise<ReleasedLibraryRow[]> {
    return ids.length === 0 ? [] : this.#reader.rows<ReleasedLibraryRow>(loadLibraries, tenant, ids);
  }

  #remember(key: string, known: Known | null): void {
    const before = this.#remembered.get(key);
    if (before === known) return;
    if (before !== undefined) this.#forget(key, before);
    this.#remembered.set(key, known);
    this.#weight += weightOf(known);
    for (const [oldest, value] of this.#remembered) {
      if (this.#weight <= maxRemembered) return;
      this.#forget(oldest, value);
    }
  }

  #forget(key: string, known: Known | null): void {
    this.#remembered.delete(key);
    this.#weight -= weightOf(known);
  }
}

const keyOf = ({ uuid }: Tenant, packageKey: string) => `${uuid} ${packageKey}`;
const weightOf = (known: Known | null) => 1 + (known?.library.versions.length ?? 0);

function snapshotOf(found: ReadonlyMap<string, Known>): LibrarySnapshot {
  return {
    catalog: new Map([...found].map(([key, { library }]) => [key, library])),
    revisions: [...found.values()].map(({ libraryId, revision }) => `${libraryId} ${revision}`).sort(),
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
      maxRuntime: version.max_runtime,
    })),
  };
}
