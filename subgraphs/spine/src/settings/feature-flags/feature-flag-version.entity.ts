import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { FlagChange, Stickiness } from "@factory/schema/vocabularies/settings";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { FlagRule } from "./evaluation/flag-rule.js";

/** A flag's state after one change, and the principal that made the change. It stays after the flag is deleted. */
@Entity(tenantTable("feature_flag_versions"))
@Index({
  name: "feature_flag_versions_deleted",
  expression:
    "create index feature_flag_versions_deleted on feature_flag_versions (tenant_id, changed_at, key) where change = 'Deleted'",
})
export class FeatureFlagVersion {
  [PrimaryKeyProp]?: ["tenantId", "key", "version"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "text" })
  key: string;

  @PrimaryKey({ type: "integer" })
  version: number;

  @Property({ type: "text" })
  change: FlagChange;

  @Property({ type: "boolean" })
  enabled: boolean;

  @Property({ type: "integer" })
  rolloutPercentage: number;

  @Property({ type: "text", nullable: true })
  description: string | null;

  @Property({ type: "text" })
  stickiness: Stickiness;

  @Property({ type: "json" })
  rules: FlagRule[];

  @Property({ type: "timestamptz" })
  changedAt: Date;

  /** The subject in the token that made the change. */
  @Property({ type: "text" })
  changedBy: string;
}
