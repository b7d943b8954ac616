import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { InvitationState } from "./invitation.states.js";

/** Workers find it by the token of its link, before a tenant is known. */
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

  /** What the token is derived from together with SECRETS_KEY, so that no job and no row holds it. */
  @Property({ type: "text" })
  tokenNonce: string;

  /** SHA-256, hex. */
  @Property({ type: "text" })
  @Unique({ name: "invitations_token" })
  tokenDigest: string;

  /** `usr_…` or `cli_…`; `platform` for the owner that provisioning invites. */
  @Property({ type: "text" })
  invitedBy: string;

  /** Of the user that accepting made. */
  @Property({ type: wireId("usr"), nullable: true })
  userId: string | null;

  @Property({ type: "timestamptz" })
  expiresAt: Date;

  @Property({ type: "timestamptz" })
  createdAt: Date;

  @Property({ type: "timestamptz" })
  updatedAt: Date;
}
