import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import type { ProposedSetting } from "../settings/configuration/proposed-setting.js";
import { Approval } from "./approval.entity.js";
import type { ApprovalState } from "./approval.states.js";
import type { ApprovalType, SettingProposalType } from "./approval.type.js";

/** SQL for the current status. An approval expires by time alone; its row says so later. An approved setting stays approved. */
export const approvalStatus =
  "case when (status = 'Pending' or status = 'Approved' and setting is null) and valid_until <= now() then 'Expired' else status end";

const shownMembers = [
  "approvalId",
  "agentClientId",
  "agentTaskId",
  "subject",
  "scopes",
  "setting",
  "requiredAcr",
  "requestedAt",
  "validUntil",
  "decidedBy",
  "decidedAt",
  "comment",
] as const;

type Shown = (typeof shownMembers)[number] | "status";

/** A row with the current status. */
export type ApprovalRow = RowOf<Approval, Shown>;

export const approvalColumns = `${columnsOf(Approval, shownMembers)}, ${approvalStatus} as status`;

const readApproval = rowReader(Approval);

/** A row's view. PostgreSQL computed the state. */
export const approvalRowView = (row: ApprovalRow): ApprovalType => approvalView(readApproval(row), row.status);

export function approvalView(
  approval: RecordOf<Approval, Shown>,
  status: ApprovalState = stateAt(approval, new Date()),
): ApprovalType {
  const { approvalId, agentClientId, agentTaskId, subject, scopes, requiredAcr, decidedBy, comment } = approval;
  const setting = settingView(approval.setting);
  return {
    ...{ approvalId, agentClientId, agentTaskId, subject, scopes, setting, status, requiredAcr, decidedBy, comment },
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
