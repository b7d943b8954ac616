import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { TemplateCheck } from "@factory/schema/vocabularies/templates";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { ValidationFindingType, ValidationOutcome } from "./validation.type.js";

/** The stored result of a template version's validation. */
@Entity(tenantTable("validation_results"))
@Index({ name: "validation_results_version", properties: ["tenantId", "templateVersionId", "validationResultId"] })
export class ValidationResult {
  [PrimaryKeyProp]?: ["tenantId", "validationResultId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("val") })
  validationResultId: string;

  @Property({ type: wireId("tpv") })
  templateVersionId: string;

  /** The version's revision that was validated. Once the Draft is replaced, the result is void. */
  @Property({ type: "integer", default: 1 })
  revision: number;

  @Property({ type: "text" })
  outcome: keyof typeof ValidationOutcome;

  @Property({ type: "text[]" })
  checks: TemplateCheck[];

  @Property({ type: "json" })
  findings: ValidationFindingType[];

  @Property({ type: "integer" })
  samples: number;

  /** The validated content's digest; null when the source could not be read. */
  @Property({ type: "text", nullable: true })
  contentDigest: string | null;

  @Property({ type: "timestamptz" })
  validatedAt: Date;
}
