import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import {
  type PrincipalPermissions,
  principalPermissions,
} from "../rights/access-control/principal-permissions-statement.js";
import { Approval } from "./approval.entity.js";
import { stateAt } from "./approval.view.js";
import { settingTask, type WithdrawalReason, withdraw } from "./setting-proposals.js";

const reasons: Record<PrincipalPermissions["status"], WithdrawalReason> = {
  Deleted: "RequesterDeleted",
  Disabled: "RequesterDisabled",
  Active: "RequesterLostScopes",
};

/** Withdraws the undecided setting changes for which these users (`usr_…`) could not ask any more. */
export async function withdrawUnauthorizedChanges(
  transaction: Transaction,
  principals: readonly string[],
): Promise<void> {
  const { em, tenant } = transaction;
  await em.flush();
  const pending = await em.find(
    Approval,
    { tenantId: tenant.tenantId, subject: { $in: [...principals] }, agentTaskId: settingTask, status: "Pending" },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { approvalId: "asc" } },
  );
  const open = pending.filter((approval) => stateAt(approval, new Date()) === "Pending");
  if (open.length === 0) return;
  const permissions = await principalPermissions(transaction, [...new Set(open.map(({ subject }) => subject))]);
  for (const approval of open) {
    const person = permissions.get(approval.subject);
    if (person && !mayAsk(person)) withdraw(transaction, approval, reasons[person.status]);
  }
}

const mayAsk = ({ status, scopes }: PrincipalPermissions) => status === "Active" && scopes.has("config.manage");
