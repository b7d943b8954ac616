import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { CatalogItemKind } from "@factory/schema/vocabularies/templates";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** The template or library texts that a search shows. The row is made from its source when a search needs it. */
@Entity(tenantTable("catalog_documents"))
export class CatalogDocument {
  [PrimaryKeyProp]?: ["tenantId", "documentId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  /** The template's or library's uuid. */
  @PrimaryKey({ type: "uuid" })
  documentId: string;

  @Property({ type: "text" })
  kind: CatalogItemKind;

  @Property({ type: "text" })
  name: string;

  /** The name in lower case, which orders rows that match equally well. */
  @Property({ type: "text", collation: "C" })
  nameKey: string;

  @Property({ type: "text", nullable: true })
  title: string | null;

  @Property({ type: "text", nullable: true })
  description: string | null;

  @Property({ type: "text[]" })
  tags: string[];

  @Property({ type: "text[]" })
  capabilities: string[];
}
