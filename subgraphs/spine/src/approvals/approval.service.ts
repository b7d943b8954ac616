import type { Principal } from "@factory/runtime/auth/principal";
import { requireBrowserSignIn, requireRecentSignIn } from "@factory/runtime/auth/step-up";
import { keyStatement } from "@factory/runtime/db/key-statement";
import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { enumFilter, textFilter } from "@factory/runtime/pagination/list-filters";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { readPage, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { higherLevel } from "@factory/schema/authentication-levels";
import { LockMode } from "@mikro-orm/postgresql";
import { requireScopesIn } from "../rights/access-control/held-scopes.js";
import { applyProposedSetting } from "../settings/configuration/proposed-setting.js";
import type { TenantSettings } from "../settings/configuration/tenant-settings.js";
import { lockEntry } from "../settings/configuration/write-entry.js";
import { unknownTenant } from "../tenants/tenants/find-tenant.js";
import { Approval } from "./approval.entity.js";
import { approvalFacts, settingChangeFacts } from "./approval.events.js";
import type { ApprovalDecisionInput, ApprovalFilterInput } from "./approval.input.js";
import { type ApprovalState, approvalStates } from "./approval.states.js";
import type { ApprovalConnection, ApprovalType } from "./approval.type.js";
import {
  type ApprovalRow,
  approvalColumns,
  approvalRowView,
  approvalStatus,
  approvalView,
  stateAt,
} from "./approval.view.js";
import { fourEyesRequest } from "./approval-request.js";
import { requireFourEyes } from "./four-eyes-rule/four-eyes.js";
import { requireNoSecondPerson } from "./four-eyes-rule/second-person.js";
import { type SettingProposals, withdraw } from "./setting-proposals.js";

/** How long a decision is valid. */
const decisionMs = 60 * 60_000;

const decisions = {
  approveScopes: "Approved",
  rejectScopes: "Rejected",
  approveTenantSetting: "Approved",
  rejectTenantSetting: "Rejected",
} as const;

const decisionEvents = {
  Approved: { scopes: "ScopeApprovalGranted", setting: "SettingChangeApproved" },
  Rejected: { scopes: "ScopeApprovalRejected", setting: "SettingChangeRejected" },
} as const;

/** The tenant's people and services decide by the first ones, a platform administrator by the second ones. */
type OwnDecision = "approveScopes" | "rejectScopes";
type PlatformDecision = "approveTenantSetting" | "rejectTenantSetting";

const settingOfApproval = {
  name: "setting_of_approval",
  text: "select setting->>'key' as key from approvals where tenant_id = $1 and approval_id = $2",
};

const approvalById = keyStatement(
  "approval_by_id",
  `select ${approvalColumns} from approvals where tenant_id = scope.tenant and approval_id = $2`,
);

/** A tenant's list of approvals. */
export const sortedApprovals = new SortedList<ApprovalType, TenantStatement>({
  list: "approvals",
  columns: { requestedAt: { column: "requested_at", type: "timestamptz", of: ({ requestedAt }) => requestedAt } },
  id: { column: "approval_id", type: "uuid", of: ({ approvalId }) => decodeId("apr", approvalId) ?? "" },
  byDefault: "-requestedAt",
  filters: { status: enumFilter(approvalStates, approvalStatus), agentTaskId: textFilter("agent_task_id") },
  statement: (name, { filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${approvalColumns} from approvals where tenant_id = scope.tenant ${filters} ${after}
       order by ${order} limit ${limit}`,
    ),
});

interface ApprovalParts {
  readonly database: Database;
  readonly cursors: CursorSeal;
  readonly settings: TenantSettings;
  readonly proposals: SettingProposals;
}

interface AskedDecision {
  readonly approvalId: string;
  readonly input: ApprovalDecisionInput | null | undefined;
}

/** Reads approvals, and records decisions under the four-eyes rule. */
export class ApprovalService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;
  readonly #settings: TenantSettings;
  readonly #proposals: SettingProposals;

  constructor({ database, cursors, settings, proposals }: ApprovalParts) {
    this.#database = database;
    this.#cursors = cursors;
    this.#settings = settings;
    this.#proposals = proposals;
  }

  /** The approval in the caller's tenant; undefined if there is none with this id. */
  async find(context: RequestContext, approvalId: string): Promise<ApprovalType | undefined> {
    const uuid = decodeId("apr", approvalId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<ApprovalRow>(approvalById, tenantOf(context), uuid);
    return row && approvalRowView(row);
  }

  /** Like `find`, but throws `NOT_FOUND`. */
  async get(context: RequestContext, approvalId: string): Promise<ApprovalType> {
    const approval = await this.find(context, approvalId);
    if (!approval) throw unknownApproval();
    return approval;
  }

  /** A page of approvals. Throws `VALIDATION_FAILED` for an unknown status. */
  list(context: RequestContext, request: PageRequest<ApprovalFilterInput>): Promise<ApprovalConnection> {
    const list = { reader: this.#database.reader, cursors: this.#cursors, tenant: tenantOf(context) };
    return readPage(sortedApprovals, list, request, approvalRowView);
  }

  /**
   * Approves or rejects a Pending request. An approved setting takes effect with the decision. Throws `SELF_APPROVAL`
   * (four-eyes rule), `INVALID_STATE` if it is not Pending, `INSUFFICIENT_SCOPE` if the caller approves scopes that it
   * does not hold, `PERSON_REQUIRED` if a service decides about a setting, or `AUTHENTICATION_TOO_OLD` and
   * `AUTHENTICATION_TOO_WEAK` if a person has to sign in again.
   */
  decide(context: RequestContext, field: OwnDecision, { approvalId, input }: AskedDecision): Promise<ApprovalType> {
    if (decodeId("apr", approvalId) === undefined) throw unknownApproval();
    return idempotentMutation(this.#database, context, {
      field,
      arguments: { approvalId, input: input ?? null },
      prepare: () => this.#settings.get(tenantOf(context), "governance.approve.acr"),
      commit: async (transaction, level) => {
        const approval = await lockedApproval(transaction, approvalId);
        const decider = principalOf(context);
        await requireFourEyes(transaction, decider, {
          request: fourEyesRequest(approval),
          level: higherLevel(approval.requiredAcr, level),
        });
        requirePending(approval);
        if (field === "approveScopes" && approval.setting === null) requireApprovable(decider, approval.scopes);
        return this.#conclude(transaction, approval, {
          to: decisions[field],
          decider,
          comment: input?.comment ?? null,
        });
      },
    });
  }

  /**
   * Decides about a setting in a tenant without a second person. The caller is a platform administrator. Throws
   * NOT_FOUND for another tenant's approval and for an approval that is about scopes.
   */
  decideForTenant(
    context: RequestContext,
    field: PlatformDecision,
    { tenantId, approvalId, input }: AskedDecision & { tenantId: string },
  ): Promise<ApprovalType> {
    if (decodeId("ten", tenantId) === undefined) throw unknownTenant();
    if (decodeId("apr", approvalId) === undefined) throw unknownApproval();
    const decider = principalOf(context);
    return idempotentMutation(this.#database, context, {
      field,
      arguments: { tenantId, approvalId, input: input ?? null },
      tenant: tenantWithId(tenantId),
      commit: async (transaction) => {
        const approval = await lockedApproval(transaction, approvalId);
        if (approval.setting === null) throw unknownApproval();
        if (decider.principalType === "User") {
          requireBrowserSignIn(decider);
          requireRecentSignIn(decider, approval.requiredAcr);
        }
        requirePending(approval);
        if (decisions[field] === "Approved") await requireNoSecondPerson(transaction, fourEyesRequest(approval));
        return this.#conclude(transaction, approval, {
          to: decisions[field],
          decider,
          comment: input?.comment ?? null,
        });
      },
    });
  }

  /**
   * The tenant's setting on which a platform administrator is asked to decide. Throws NOT_FOUND as `decideForTenant`.
   */
  async getForTenant(tenantId: string, approvalId: string): Promise<ApprovalType> {
    if (decodeId("ten", tenantId) === undefined) throw unknownTenant();
    const uuid = decodeId("apr", approvalId);
    if (uuid === undefined) throw unknownApproval();
    const row = await this.#database.reader.row<ApprovalRow>(approvalById, tenantWithId(tenantId), uuid);
    if (!row || row.setting === null) throw unknownApproval();
    return approvalRowView(row);
  }

  /** Ends a setting change that the caller has asked for. Throws INVALID_STATE and NOT_THE_REQUESTER. */
  withdraw(context: RequestContext, approvalId: string): Promise<ApprovalType> {
    if (decodeId("apr", approvalId) === undefined) throw unknownApproval();
    return idempotentMutation(this.#database, context, {
      field: "withdrawSettingChange",
      arguments: { approvalId },
      commit: async (transaction) => {
        const approval = await lockedApproval(transaction, approvalId);
        const { subject, principalType } = principalOf(context);
        if (approval.setting === null || principalType !== "User" || subject !== approval.subject)
          throw new DomainError("NOT_THE_REQUESTER", {
            detail: "Only the person who asked for a change of a setting can withdraw it. Others can reject it.",
          });
        requirePending(approval);
        withdraw(transaction, approval, "Requested");
        return approvalView(approval);
      },
    });
  }

  async #conclude(
    transaction: Transaction,
    approval: Approval,
    { to, decider, comment }: { to: "Approved" | "Rejected"; decider: Principal; comment: string | null },
  ): Promise<ApprovalType> {
    const { approvalId, setting, subject: by } = approval;
    const decidedAt = new Date();
    const validUntil = setting === null ? new Date(decidedAt.getTime() + decisionMs) : decidedAt;
    Object.assign(approval, { status: to, decidedBy: decider.subject, decidedAt, validUntil, comment });
    const events = decisionEvents[to];
    const [type, facts] =
      setting === null ? [events.scopes, approvalFacts(approval)] : [events.setting, settingChangeFacts(approval)];
    const subject = `approvals/${approvalId}`;
    transaction.record({ type, subject, data: { ...facts, decidedBy: decider.subject } });
    if (setting !== null && to === "Approved") {
      const isApplied = await applyProposedSetting(transaction, this.#settings, { proposed: setting, by });
      if (!isApplied) throw notPending("Withdrawn");
      await this.#proposals.end(transaction, setting.key);
    }
    return approvalView(approval);
  }
}

/** The lock on the configuration comes first, as in every setting change, to prevent deadlocks. */
async function lockedApproval(transaction: Transaction, approvalId: string): Promise<Approval> {
  const { em, tenant } = transaction;
  const key = { tenantId: tenant.tenantId, approvalId };
  const [row] = await transaction.execute<{ key: string | null }>(settingOfApproval, [
    tenant.uuid,
    decodeId("apr", approvalId),
  ]);
  if (!row) throw unknownApproval();
  if (row.key !== null) await lockEntry(transaction, row.key);
  const approval = await em.findOne(Approval, key, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!approval) throw unknownApproval();
  return approval;
}

/** Where everybody needs an approval, nobody holds publishing scopes but those who may use them after one. */
function requireApprovable({ scopes, withheldScopes = [] }: Principal, requestedScopes: readonly string[]): void {
  const explanation = "Only a principal that holds the scopes itself can approve them.";
  requireScopesIn(new Set([...scopes, ...withheldScopes]), requestedScopes, explanation);
}

function requirePending(approval: Approval): void {
  const currentState = stateAt(approval, new Date());
  if (currentState !== "Pending") throw notPending(currentState);
}

const notPending = (currentState: ApprovalState) =>
  new DomainError("INVALID_STATE", {
    detail: `The approval is ${currentState}. Only a Pending approval can be decided or withdrawn.`,
    currentState,
    allowed: ["Pending"],
  });

const unknownApproval = () => new DomainError("NOT_FOUND", { detail: "The tenant has no approval with this id." });
