import { fingerprint } from "@factory/runtime/idempotency/fingerprint";
import { newId } from "@factory/runtime/identifiers/wire-id";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { SettingApprovals, SettingRequest } from "../settings/configuration/proposed-setting.js";
import { Approval } from "./approval.entity.js";
import { settingChangeFacts } from "./approval.events.js";
import { stateAt } from "./approval.view.js";
import { expireSettingChangeJob } from "./expire-setting-change.js";

/** The task for a person who asks for a setting. No agent can name it, because it ends with a space. */
export const settingTask = "setting change ";

const pendingMs = 24 * 60 * 60_000;

const keyOf = (key: string) => `setting ${key}`;

/** Weaker values of protected settings that wait for another person. */
export class SettingProposals implements SettingApprovals {
  readonly #jobs: JobQueue;

  constructor(jobs: JobQueue) {
    this.#jobs = jobs;
  }

  /** A person has at most one proposal for a key: another one replaces it. */
  async request(transaction: Transaction, request: SettingRequest): Promise<string> {
    const { em, tenant, record } = transaction;
    const { tenantId } = tenant;
    const { principal, proposed, requiredAcr } = request;
    const { subject, clientId } = principal;
    const scopeKey = keyOf(proposed.key);
    const pending = { tenantId, subject, agentTaskId: settingTask, scopeKey, status: "Pending" } as const;
    for (const approval of await em.find(Approval, pending)) {
      const isOpen = stateAt(approval, new Date()) === "Pending";
      if (isOpen && fingerprint(approval.setting) === fingerprint(proposed)) return approval.approvalId;
      withdraw(transaction, approval, "Replaced");
    }
    await em.flush();
    const requestedAt = new Date();
    const approval = em.create(Approval, {
      tenantId,
      approvalId: newId("apr"),
      ...{ subject, agentClientId: clientId, agentTaskId: settingTask },
      ...{ scopes: [], scopeKey, setting: proposed, requiredAcr },
      status: "Pending",
      requestedAt,
      validUntil: new Date(requestedAt.getTime() + pendingMs),
      ...{ decidedBy: null, decidedAt: null, comment: null },
    });
    em.persist(approval);
    const { approvalId, validUntil } = approval;
    record({ type: "SettingChangeRequested", subject: `approvals/${approvalId}`, data: settingChangeFacts(approval) });
    await this.#jobs.send(transaction, expireSettingChangeJob, { tenantId, approvalId }, { startAfter: validUntil });
    return approvalId;
  }

  /** A proposal was made for the value that its approver was shown. */
  async end(transaction: Transaction, key: string): Promise<void> {
    const { em, tenant } = transaction;
    const pending = { tenantId: tenant.tenantId, scopeKey: keyOf(key), status: "Pending" } as const;
    const approvals = await em.find(Approval, pending);
    // the one that is being approved is not Pending any more
    for (const approval of approvals.filter(({ status }) => status === "Pending"))
      withdraw(transaction, approval, "KeyChanged");
  }
}

/**
 * Requested: by the person who asked. Replaced: by another value. KeyChanged: the entry has another version now. The
 * others: the person who asked is not Active, or has lost config.manage.
 */
export type WithdrawalReason =
  | "Requested"
  | "Replaced"
  | "KeyChanged"
  | "RequesterDisabled"
  | "RequesterDeleted"
  | "RequesterLostScopes";

/** Ends a proposal without a decision. */
export function withdraw({ record }: Pick<Transaction, "record">, approval: Approval, reason: WithdrawalReason): void {
  approval.status = "Withdrawn";
  record({
    type: "SettingChangeWithdrawn",
    subject: `approvals/${approval.approvalId}`,
    data: { ...settingChangeFacts(approval), reason },
  });
}
