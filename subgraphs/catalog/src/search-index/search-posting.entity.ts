import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { termKinds } from "./term-kinds.js";

/**
 * Which capabilities of which entry hold a term. Behind the term stands what its entry is sorted by: the index holds the
 * entries of a term in the order of a search, and every column, so that a search reads nothing else.
 */
@Entity(tenantTable("search_postings"))
export class SearchPosting {
  [PrimaryKeyProp]?: ["tenantId", "kind", "term", "apiClient", "unusable", "nameKey", "entryId", "places"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "smallint" })
  kind: (typeof termKinds)[keyof typeof termKinds];

  /** In byte order: lookups are for one term or a range of them. */
  @PrimaryKey({ type: "text", collation: "C" })
  term: string;

  @PrimaryKey({ type: "boolean" })
  apiClient: boolean;

  /** As its entry says. */
  @PrimaryKey({ type: "boolean" })
  unusable: boolean;

  /** As its entry says. */
  @PrimaryKey({ type: "text", collation: "C" })
  nameKey: string;

  @PrimaryKey({ type: "uuid" })
  entryId: string;

  /** Bit n: the n-th capability holds the term. One row per term and entry. */
  @PrimaryKey({ columnType: "bit(128)" })
  places: string;
}
