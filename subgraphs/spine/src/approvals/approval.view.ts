import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { ProposedSetting } from "../settings/configuration/proposed-setting.js";
import type { Approval } from "./approval.entity.js";
import type { ApprovalState } from "./approval.states.js";
import type { ApprovalType, SettingProposalType } from "./approval.type.js";

/** SQL for the current status. An approval expires by time alone; its row says so later. An approved setting stays approved. */
export const currentStatus =
  "case when (status = 'Pending' or status = 'Approved' and setting is null) and valid_until <= now() then 'Expired' else status end";

/** The columns of `ApprovalRow`. */
export const approvalColumns = `approval_id, agent_client_id, agent_task_id, subject, scopes, setting,
  ${currentStatus} as status,
  required_acr, requested_at, valid_until, decided_by, decided_at, comment`;

/** A row of `approvals` as PostgreSQL returns it. */
export interface ApprovalRow {
  approval_id: string;
  agent_client_id: string;
  agent_task_id: string;
  subject: string;
  scopes: string[];
  setting: ProposedSetting | null;
  status: ApprovalState;
  required_acr: string | null;
  requested_at: Date;
  valid_until: Date;
  decided_by: string | null;
  decided_at: Date | null;
  comment: string | null;
}

/** The API view of a row. */
export function approvalRowView(row: ApprovalRow): ApprovalType {
  return {
    approvalId: encodeId("apr", row.approval_id),
    agentClientId: row.agent_client_id,
    agentTaskId: row.agent_task_id,
    subject: row.subject,
    scopes: row.scopes,
    setting: settingView(row.setting),
    status: row.status,
    requiredAcr: row.required_acr,
    requestedAt: row.requested_at.toISOString(),
    validUntil: row.valid_until.toISOString(),
    decidedBy: row.decided_by,
    decidedAt: row.decided_at?.toISOString() ?? null,
    comment: row.comment,
  };
}

/** The API view of an entity. */
export function approvalEntityView(approval: Approval): ApprovalType {
  const { approvalId, agentClientId, agentTaskId, subject, scopes, requiredAcr, decidedBy, comment } = approval;
  const setting = settingView(approval.setting);
  return {
    ...{ approvalId, agentClientId, agentTaskId, subject, scopes, setting, requiredAcr, decidedBy, comment },
    status: stateAt(approval, new Date()),
    requestedAt: approval.requestedAt.toISOString(),
    validUntil: approval.validUntil.toISOString(),
    decidedAt: approval.decidedAt?.toISOString() ?? null,
  };
}

function settingView(setting: ProposedSetting | null): SettingProposalType | null {
  if (setting === null) return null;
  const { key, change, oldValue, newValue, description } = setting;
  return { key, change, oldValue, newValue, description };
}

/** The state at a time: Pending becomes Expired at `validUntil`, and so do approved scopes. */
export function stateAt(
  { status, validUntil, setting }: Pick<Approval, "status" | "validUntil" | "setting">,
  time: Date,
): ApprovalState {
  const ends = status === "Pending" || (status === "Approved" && setting === null);
  return ends && validUntil <= time ? "Expired" : status;
}
