import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { LibraryColumns } from "../../libraries/libraries/library.view.js";
import { libraryColumnsWith } from "../../libraries/libraries/library-columns.js";

// tables: libraries

/** The most libraries in one snapshot; a set's dependencies may reach most of a large catalog. */
export const maxLibraries = 5000;

/** A library that a set's dependencies reach. */
export type ReachedLibraryRow = LibraryColumns<"packageKey" | "libraryId" | "revision" | "dependencyKeys">;

// each name is followed once, whatever asks for it and however deep; the limit keeps the planner from reading the whole
// catalog for a join with a few names
export const reachedLibraries = tenantStatement(
  "libraries_reached",
  `with recursive reached (package_key, library_id, revision, dependency_keys) as (
    select package_key, library_id, revision, dependency_keys from libraries
      where tenant_id = scope.tenant and package_key = any($2)
    union
    select library.* from reached cross join lateral unnest(reached.dependency_keys) asked (package_key)
      cross join lateral (
        select package_key, library_id, revision, dependency_keys from libraries
        where tenant_id = scope.tenant and package_key = asked.package_key limit 1) library)
  select * from reached limit ${maxLibraries}`,
);

export const loadLibraries = tenantStatement(
  "libraries_for_evaluation",
  `select ${libraryColumnsWith("version.status <> 'Registered'")}
   from libraries library where tenant_id = scope.tenant and library_id = any($2)`,
);

export const libraryRevisions = tenantStatement(
  "library_revisions",
  `select string_agg(library_id || ' ' || revision, ',' order by library_id) as revisions
   from libraries where tenant_id = scope.tenant and package_key = any($2)`,
);
