import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** What a term is of a capability: its name as words in order, its contract so, or one word of either. */
export const termKinds = { name: 1, contract: 2, word: 3 } as const;

/** As many capabilities of an entry as `places` can tell apart; requests allow 100. */
export const placeCount = 128;

/**
 * The postings: which capabilities of which entry hold a term. Lookups begin with tenant and term, equal or as a range,
 * in byte order. Every column is in the key, so that a search reads the index only.
 */
@Entity(tenantTable("search_terms"))
export class SearchTerm {
  [PrimaryKeyProp]?: ["tenantId", "kind", "term", "entryId", "places"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "smallint" })
  kind: (typeof termKinds)[keyof typeof termKinds];

  @PrimaryKey({ type: "text", collation: "C" })
  term: string;

  @PrimaryKey({ type: "uuid" })
  entryId: string;

  /** Bit n: the n-th capability holds the term. One row per term and entry. */
  @PrimaryKey({ columnType: "bit(128)" })
  places: string;
}
