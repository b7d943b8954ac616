import type { RetentionRule } from "@factory/runtime/db/retention";
import { expiringTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import { newAccountDays } from "./new-account.js";

const expiryCondition = `joined_at < now() - '${newAccountDays} days'::interval`;

/**
 * The principals that invited a user who is new in the tenant. Until the time is over, or a person outside this group
 * confirms the user, both may be one person with two accounts. A row stays when its user is deleted, since the user may
 * have invited others.
 */
@Entity(expiringTenantTable("user_origins", expiryCondition))
@Index({ name: "user_origins_expired", properties: ["joinedAt"] })
export class UserOrigin {
  [PrimaryKeyProp]?: ["tenantId", "principal"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  /** `usr_…` */
  @PrimaryKey({ type: "text" })
  principal: string;

  /** `usr_…`, `cli_…` or `platform`: everybody who sent a link for the invitation. */
  @Property({ type: "text[]" })
  invitedBy: string[];

  @Property({ type: "timestamptz" })
  joinedAt: Date;

  @Property({ type: "text", nullable: true })
  confirmedBy: string | null;

  @Property({ type: "timestamptz", nullable: true })
  confirmedAt: Date | null;
}

export const forgottenOrigins: RetentionRule = { table: "user_origins", expired: expiryCondition, order: "joined_at" };
