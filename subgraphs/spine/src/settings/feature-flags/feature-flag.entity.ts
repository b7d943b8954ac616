import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { Stickiness } from "@factory/schema/vocabularies/settings";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { FlagRule } from "./evaluation/flag-rule.js";

/** A tenant's boolean flag: who gets it by rules, and which share of all others gets it. */
@Entity(tenantTable("feature_flags"))
@Index({ name: "feature_flags_by_change", properties: ["tenantId", "updatedAt", "key"] })
export class FeatureFlag {
  [PrimaryKeyProp]?: ["tenantId", "key"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "text" })
  key: string;

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

  @Property({ type: "integer" })
  version: number;

  @Property({ type: "timestamptz" })
  createdAt: Date;

  @Property({ type: "timestamptz", length: 3 })
  updatedAt: Date;

  /** The subject in the token that changed it last. */
  @Property({ type: "text" })
  updatedBy: string;
}
