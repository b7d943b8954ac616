import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A word in a document. The key has the words in byte order, so that a search reads a range for a word's beginning. */
@Entity(tenantTable("catalog_terms"))
@Index({ name: "catalog_terms_document", properties: ["tenantId", "documentId"] })
export class CatalogTerm {
  [PrimaryKeyProp]?: ["tenantId", "term", "documentId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "text", collation: "C" })
  term: string;

  @PrimaryKey({ type: "uuid" })
  documentId: string;

  /** The best weight among the texts that have the word. */
  @Property({ type: "smallint" })
  weight: number;
}
