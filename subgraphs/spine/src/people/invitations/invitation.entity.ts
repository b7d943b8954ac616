import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { InvitationState } from "./invitation.states.js";

/** An invitation to join a tenant. Workers find it by its link's token, before the tenant is known. */
@Entity(workerTable("invitations"))
@Index({
  name: "invitations_pending",
  expression: "create unique index invitations_pending on invitations (tenant_id, email_key) where status = 'Pending'",
})
@Index({ name: "invitations_page", properties: ["tenantId", "createdAt", "invitationId"] })
@Index({ name: "invitations_by_email", properties: ["tenantId", "emailKey", "invitationId"] })
@Index({ name: "invitations_by_expiry", properties: ["tenantId", "expiresAt", "invitationId"] })
export class Invitation {
  [PrimaryKeyProp]?: ["tenantId", "invitationId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("inv") })
  invitationId: string;

  @Property({ type: "text" })
  email: string;

  @Property({ type: "text" })
  emailKey: string;

  @Property({ type: "text", nullable: true })
  displayName: string | null;

  @Property({ type: "text[]" })
  roleCodes: string[];

  @Property({ type: "text" })
  status: InvitationState;

  /** The token is derived from this nonce and SECRETS_KEY, so that neither a job nor a row contains it. */
  @Property({ type: "text" })
  tokenNonce: string;

  /** The token's SHA-256, hex. */
  @Property({ type: "text" })
  @Unique({ name: "invitations_token" })
  tokenDigest: string;

  /** `usr_…` or `cli_…`; `platform` for the owner that provisioning invites. */
  @Property({ type: "text" })
  invitedBy: string;

  /** Everybody who sent a link for the invitation: `invitedBy` and those before. */
  @Property({ type: "text[]" })
  inviters: string[];

  /** The user that accepted the invitation. */
  @Property({ type: wireId("usr"), nullable: true })
  userId: string | null;

  @Property({ type: "timestamptz", length: 3 })
  expiresAt: Date;

  @Property({ type: "timestamptz", length: 3 })
  createdAt: Date;

  @Property({ type: "timestamptz" })
  updatedAt: Date;
}
