import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** Each word of a tenant under itself and under what is left of it without one letter: two words that are one slip
 * apart share such a spelling. Words stay when their last library goes. */
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
