import type { Database, Transaction } from "@factory/runtime/db/database";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { libraryColumnsWith } from "../libraries/library.service.js";
import type { ReleasedLibraryRow } from "../libraries/library.view.js";
import type { CatalogLibrary } from "./evaluate-input.js";

interface Reached extends Record<string, unknown> {
  package_key: string;
  library_id: string;
  revision: number;
}

export interface LibrarySnapshot {
  /** By lower-case package name. */
  readonly catalog: ReadonlyMap<string, CatalogLibrary>;
  /** Equal lists: equal catalogs. */
  readonly revisions: readonly string[];
}

/** Bounds a set whose dependencies reach most of a large catalog. */
const mostLibraries = 5000;
const mostRememberedVersions = 100_000;

// each name is followed once, whatever asks for it and however deep; the limit keeps the planner from reading the
// whole catalog for a join of a few names
const reachedFrom = `with recursive reached (package_key, library_id, revision, dependency_keys) as (
    select package_key, library_id, revision, dependency_keys from libraries
      where tenant_id = $1 and package_key = any($2)
    union
    select library.* from reached cross join lateral unnest(reached.dependency_keys) asked (package_key)
      cross join lateral (
        select package_key, library_id, revision, dependency_keys from libraries
        where tenant_id = $1 and package_key = asked.package_key limit 1) library)
  select package_key, library_id, revision from reached limit ${mostLibraries}`;

const loadLibraries = `select ${libraryColumnsWith("version.status <> 'Registered'")}
  from libraries library where tenant_id = $1 and library_id = any($2)`;

/**
 * The libraries that an evaluation has to know: the named ones and all that their versions depend on. What a library
 * holds is remembered with its revision, so that only what has changed since is read again.
 */
export class LibrarySnapshots {
  readonly #database: Database;
  readonly #remembered = new Map<string, CatalogLibrary>();
  #versions = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  of(tenant: Tenant, packageNames: readonly string[]): Promise<LibrarySnapshot> {
    const keys = [...new Set(packageNames.map((name) => name.toLowerCase()))];
    return this.#database.transaction(tenant, { trace: continueTrace(undefined) }, async ({ execute }) => {
      const reached = await execute<Reached>(reachedFrom, [tenant.uuid, keys]);
      const loaded = await this.#load(
        tenant,
        execute,
        reached.filter((row) => !this.#recall(tenant, row)),
      );
      const catalog = new Map<string, CatalogLibrary>();
      for (const row of reached) {
        const library = loaded.get(row.library_id) ?? this.#recall(tenant, row);
        if (library) catalog.set(row.package_key, library);
      }
      const revisions = reached.map(({ library_id, revision }) => `${library_id} ${revision}`).sort();
      return { catalog, revisions };
    });
  }

  async #load(tenant: Tenant, execute: Transaction["execute"], missing: readonly Reached[]) {
    const loaded = new Map<string, CatalogLibrary>();
    if (missing.length === 0) return loaded;
    const ids = missing.map(({ library_id }) => library_id);
    for (const row of await execute<ReleasedLibraryRow & Record<string, unknown>>(loadLibraries, [tenant.uuid, ids]))
      loaded.set(row.library_id, catalogLibrary(row));
    for (const row of missing) {
      const library = loaded.get(row.library_id);
      if (library) this.#remember(keyOf(tenant, row), library);
    }
    return loaded;
  }

  #recall(tenant: Tenant, row: Reached): CatalogLibrary | undefined {
    return this.#remembered.get(keyOf(tenant, row));
  }

  #remember(key: string, library: CatalogLibrary): void {
    this.#remembered.set(key, library);
    this.#versions += library.versions.length;
    for (const [oldest, { versions }] of this.#remembered) {
      if (this.#versions <= mostRememberedVersions) return;
      this.#remembered.delete(oldest);
      this.#versions -= versions.length;
    }
  }
}

const keyOf = ({ uuid }: Tenant, { library_id, revision }: Reached) => `${uuid} ${library_id} ${revision}`;

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
