import { sweptTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { AuthenticationLevel } from "@factory/schema/authentication-levels";
import type { Scope } from "@factory/schema/scopes";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { ProposedSetting } from "../settings/configuration/proposed-setting.js";
import type { ApprovalState } from "./approval.states.js";

/**
 * A request for publishing scopes in one task, or for a weaker value of a protected setting, and the decision by a
 * principal other than its subject. Workers find settings whose time to decide has ended.
 */
@Entity(sweptTenantTable("approvals", "setting is not null and status = 'Pending'"))
@Index({
  name: "approvals_open",
  expression:
    "create unique index approvals_open on approvals (tenant_id, agent_client_id, agent_task_id, subject, scope_key) where status = 'Pending'",
})
@Index({ name: "approvals_task", properties: ["tenantId", "agentTaskId", "agentClientId"] })
@Index({
  name: "approvals_settings",
  expression:
    "create index approvals_settings on approvals (approval_id) where setting is not null and status = 'Pending'",
})
@Index({ name: "approvals_page", properties: ["tenantId", "requestedAt", "approvalId"] })
export class Approval {
  [PrimaryKeyProp]?: ["tenantId", "approvalId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("apr") })
  approvalId: string;

  @Property({ type: "text" })
  agentTaskId: string;

  @Property({ type: "text" })
  agentClientId: string;

  /** The principal for whom the agent acts, or that asked for the setting. It cannot approve the request. */
  @Property({ type: "text" })
  subject: string;

  @Property({ type: "text[]" })
  scopes: Scope[];

  /** The scopes, sorted and joined; `setting <key>` for a setting. */
  @Property({ type: "text" })
  scopeKey: string;

  /** The weaker value that is asked for; null for scopes. */
  @Property({ type: "json", nullable: true })
  setting: ProposedSetting | null;

  @Property({ type: "text" })
  status: ApprovalState;

  /**
   * The sign-in level that the tenant asked for when the request was made. A person decides with it or a higher one.
   */
  @Property({ type: "text", nullable: true })
  requiredAcr: AuthenticationLevel | null;

  @Property({ type: "timestamptz", length: 3 })
  requestedAt: Date;

  /** Pending: until when it can be decided. Afterwards: until when the decision is valid. */
  @Property({ type: "timestamptz" })
  validUntil: Date;

  @Property({ type: "text", nullable: true })
  decidedBy: string | null;

  @Property({ type: "timestamptz", nullable: true })
  decidedAt: Date | null;

  @Property({ type: "text", nullable: true })
  comment: string | null;
}
