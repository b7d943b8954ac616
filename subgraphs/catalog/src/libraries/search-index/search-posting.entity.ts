import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { termKinds } from "./term-kinds.js";

/**
 * An entry's capabilities that hold a term. The key contains the columns that entries are sorted by, so the index has
 * the entries of a term in the order of a search. It also has every column, so a search reads nothing else.
 */
@Entity(tenantTable("search_postings"))
export class SearchPosting {
  [PrimaryKeyProp]?: ["tenantId", "kind", "term", "apiClient", "unusable", "nameKey", "entryId", "places"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "smallint" })
  kind: (typeof termKinds)[keyof typeof termKinds];

  /** In byte order: lookups are for one term or for a range of terms. */
  @PrimaryKey({ type: "text", collation: "C" })
  term: string;

  @PrimaryKey({ type: "boolean" })
  apiClient: boolean;

  /** The same value as in the entry. */
  @PrimaryKey({ type: "boolean" })
  unusable: boolean;

  /** The same value as in the entry. */
  @PrimaryKey({ type: "text", collation: "C" })
  nameKey: string;

  @PrimaryKey({ type: "uuid" })
  entryId: string;

  /** Bit n is set where the n-th capability holds the term. There is one row for each term and entry. */
  @PrimaryKey({ columnType: "bit(128)" })
  places: string;
}
