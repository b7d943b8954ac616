import type { CapabilityText } from "./search-terms.js";

// tables: search_backlog, libraries, search_entries

const hasNoEntry = `not exists (select from search_entries entry
  where entry.tenant_id = library.tenant_id and entry.entry_id = library.library_id)`;

/** The tenants with libraries that the search index does not have. */
export const waitingTenants = "select tenant_id from search_backlog order by 1";

/** At most `$3` libraries in tenant `$1` without an entry, after library `$2`. */
export const librariesWithoutEntry = `select library_id from libraries library
  where tenant_id = $1 and ($2::uuid is null or library_id > $2::uuid) and ${hasNoEntry}
  order by library_id limit $3`;

/** Removes tenant `$1` from the backlog when all its libraries have an entry. */
export const forgetFinishedTenant = `delete from search_backlog where tenant_id = $1
  and not exists (select from libraries library where tenant_id = $1 and ${hasNoEntry})`;

export interface LockedLibraryRow {
  package_name: string;
  area: string | null;
  owner: string | null;
  tags: string[];
  status: string;
  capabilities: CapabilityText[];
}

/** Library `$2` in tenant `$1`, locked until the transaction ends. */
export const lockLibrary = `select package_name, area, owner, tags, status, capabilities from libraries
  where tenant_id = $1 and library_id = $2 for update`;

export const entryOfLibrary = "select from search_entries where tenant_id = $1 and entry_id = $2";
