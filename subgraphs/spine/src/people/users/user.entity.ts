import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { UserState } from "./user.states.js";

/** A person in one tenant; a person in two tenants is two users. The sign-in reads it before the tenant is known. */
@Entity(workerTable("users"))
@Index({
  name: "users_email",
  expression: "create unique index users_email on users (tenant_id, email_key) where status <> 'Deleted'",
})
@Index({ name: "users_sign_in", properties: ["emailKey"] })
@Index({
  name: "users_listed",
  expression: "create index users_listed on users (tenant_id, user_id) where status <> 'Deleted'",
})
@Index({ name: "users_status", properties: ["tenantId", "status", "userId"] })
@Index({
  name: "users_email_prefix",
  expression:
    "create index users_email_prefix on users (tenant_id, email_key text_pattern_ops) where status <> 'Deleted'",
})
@Index({
  name: "users_name_key_prefix",
  expression:
    "create index users_name_key_prefix on users (tenant_id, name_key text_pattern_ops) where status <> 'Deleted'",
})
@Unique({ name: "users_user_id", properties: ["userId"] })
export class User {
  [PrimaryKeyProp]?: ["tenantId", "userId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("usr") })
  userId: string;

  /** The address as it was entered. */
  @Property({ type: "text" })
  email: string;

  /** The address in the form that `mailAddressKey` makes, for comparison. */
  @Property({ type: "text" })
  emailKey: string;

  /**
   * The `mailAddressKey` value for which the person has used a mailed link. An address that has changed since is not
   * verified.
   */
  @Property({ type: "text", nullable: true })
  verifiedEmailKey?: string | null;

  @Property({ type: "text", nullable: true })
  displayName: string | null;

  /** A stored column, because row-level security prevents the use of an index on `lower()`, which is not leakproof. */
  @Property({ type: "text", nullable: true, generated: "(lower(display_name)) stored" })
  nameKey?: string | null;

  @Property({ type: "text" })
  status: UserState;

  /** argon2id, as a PHC string. */
  @Property({ type: "text" })
  passwordHash: string;

  /**
   * Raised by a new password, and when the user is disabled or deleted. Sessions, codes and refresh tokens from
   * sign-ins with an earlier version have ended.
   */
  @Property({ type: "integer", default: 0 })
  signInVersion: number;

  @Property({ type: "timestamptz", nullable: true })
  lastLoginAt: Date | null;

  @Property({ type: "timestamptz" })
  createdAt: Date;

  @Property({ type: "timestamptz" })
  updatedAt: Date;
}
