import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/**
 * A tenant's word under one of its spellings: itself, or itself without one letter. Two words that differ by one typing
 * error share a spelling. The catalog search removes words that no document has any more.
 */
@Entity(tenantTable("search_words"))
export class SearchWord {
  [PrimaryKeyProp]?: ["tenantId", "spelling", "word"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "text" })
  spelling: string;

  @PrimaryKey({ type: "text" })
  word: string;
}
