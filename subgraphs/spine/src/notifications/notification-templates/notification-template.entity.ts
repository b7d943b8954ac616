import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { VariableType } from "@factory/schema/vocabularies/notifications";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A template's variable, as it is stored. */
export interface StoredVariable {
  readonly name: string;
  readonly type: VariableType;
  readonly isOptional: boolean;
  readonly members: readonly string[];
}

/** A template's texts in one language, as they are stored. */
export interface StoredText {
  /** In its canonical form. */
  readonly locale: string;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly linkLabel: string | null;
}

/** The members that a tenant sets in its template. */
export interface TemplateContent {
  readonly variables: readonly StoredVariable[];
  /** The variable with the link's address. */
  readonly linkVariable: string | null;
  readonly texts: readonly StoredText[];
}

/** A tenant's template. One with a built-in template's key replaces it. */
@Entity(tenantTable("notification_templates"))
export class NotificationTemplate implements TemplateContent {
  [PrimaryKeyProp]?: ["tenantId", "key"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "text" })
  key: string;

  @Property({ type: "json" })
  variables: readonly StoredVariable[];

  @Property({ type: "text", nullable: true })
  linkVariable: string | null;

  /** In the tenant's order, whose first text is the last resort for a template without `en`. */
  @Property({ type: "json" })
  texts: readonly StoredText[];

  @Property({ type: "integer" })
  version: number;

  @Property({ type: "timestamptz" })
  updatedAt: Date;

  /** The subject in the token that changed it last. */
  @Property({ type: "text" })
  updatedBy: string;
}
