import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { LibrarySearchSource } from "@factory/schema/vocabularies/libraries";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

export type SearchSource = LibrarySearchSource;

/**
 * One row in the search index: the values that a search filters and sorts by. Details are read from the source table.
 */
@Entity(tenantTable("search_entries"))
@Index({ name: "search_entries_area", properties: ["tenantId", "areaKey"] })
@Index({ name: "search_entries_owner", properties: ["tenantId", "ownerKey"] })
@Index({ name: "search_entries_listing", properties: ["tenantId", "source", "unusable", "nameKey", "entryId"] })
export class SearchEntry {
  [PrimaryKeyProp]?: ["tenantId", "entryId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  /** The uuid of the library or API client. */
  @PrimaryKey({ type: "uuid" })
  entryId: string;

  @Property({ type: "text" })
  source: SearchSource;

  /** The name in lower case, which orders rows that match equally well. */
  @Property({ type: "text", collation: "C" })
  nameKey: string;

  @Property({ type: "text", nullable: true })
  areaKey: string | null;

  @Property({ type: "text", nullable: true })
  ownerKey: string | null;

  /** Lower case. */
  @Property({ type: "text[]" })
  tags: string[];

  @Property({ type: "text" })
  status: string;

  /** The frameworks of its Published versions, each once; `*` for a version that runs everywhere. */
  @Property({ type: "text[]" })
  frameworks: string[];

  /** True where it has no Published version for any framework; such rows come last. */
  @Property({ type: "boolean", generated: "(frameworks = '{}') stored" })
  unusable: boolean;

  /** Whether it has versions in any state. */
  @Property({ type: "boolean" })
  versioned: boolean;
}
