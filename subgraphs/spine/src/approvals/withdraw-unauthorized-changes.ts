import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import { userStatuses } from "../access-control/user-status-statement.js";
import { effectiveAccessIn } from "../roles/effective-access.js";
import { Approval } from "./approval.entity.js";
import { stateAt } from "./approval.view.js";
import { settingTask, type WithdrawalReason, withdraw } from "./setting-proposals.js";

/** Withdraws the undecided changes of settings for which these users (`usr_…`) could not ask any more. */
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
  const people = new Set(open.map(({ subject }) => subject));
  const statuses = await userStatuses(transaction, people);
  for (const person of people) {
    const reason = await reasonFor(transaction, person, statuses.get(person));
    if (reason)
      for (const approval of open.filter(({ subject }) => subject === person)) withdraw(transaction, approval, reason);
  }
}

async function reasonFor(
  transaction: Transaction,
  person: string,
  status: string | undefined,
): Promise<WithdrawalReason | undefined> {
  if (status === "Deleted") return "RequesterDeleted";
  if (status === "Disabled") return "RequesterDisabled";
  const { scopes } = await effectiveAccessIn(transaction, person);
  return scopes.has("config.manage") ? undefined : "RequesterLostScopes";
}
