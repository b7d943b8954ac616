import type { Principal } from "@factory/runtime/auth/principal";
import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { higherLevel } from "@factory/schema/authentication-levels";
import { LockMode } from "@mikro-orm/postgresql";
import { requireScopesIn } from "../access-control/held-scopes.js";
import type { TenantSettings } from "../configuration/tenant-settings.js";
import { Approval } from "./approval.entity.js";
import { approvalFacts } from "./approval.events.js";
import type { ApprovalDecisionInput, ApprovalFilterInput } from "./approval.input.js";
import { approvalStates } from "./approval.states.js";
import type { ApprovalConnection, ApprovalType } from "./approval.type.js";
import {
  type ApprovalRow,
  approvalColumns,
  approvalEntityView,
  approvalRowView,
  currentStatus,
  stateAt,
} from "./approval.view.js";
import { requireFourEyes } from "./four-eyes.js";

/** How long a decision is valid. */
const decisionMs = 60 * 60_000;

const decisions = {
  approveScopes: { to: "Approved", event: "ScopeApprovalGranted" },
  rejectScopes: { to: "Rejected", event: "ScopeApprovalRejected" },
} as const;

type Decision = keyof typeof decisions;

const approvalById = tenantStatement(
  "approval_by_id",
  `select ${approvalColumns} from approvals where tenant_id = scope.tenant and approval_id = $2`,
);

/** The list of the approvals of a tenant. */
export const sortedApprovals = new SortedList<ApprovalType, TenantStatement>({
  list: "approvals",
  columns: { requestedAt: { column: "requested_at", type: "timestamptz", of: ({ requestedAt }) => requestedAt } },
  id: { column: "approval_id", type: "uuid", of: ({ approvalId }) => decodeId("apr", approvalId) ?? "" },
  byDefault: "-requestedAt",
  firstParameter: 4,
  statement: (name, { after, order, limit }) =>
    tenantStatement(
      name,
      `select ${approvalColumns} from approvals where tenant_id = scope.tenant
         and ($2::text is null or ${currentStatus} = $2) and ($3::text is null or agent_task_id = $3) ${after}
       order by ${order} limit ${limit}`,
    ),
});

/** Reads approvals, and records decisions under the four-eyes rule. */
export class ApprovalService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;
  readonly #settings: TenantSettings;

  constructor(database: Database, cursors: CursorSeal, settings: TenantSettings) {
    this.#database = database;
    this.#cursors = cursors;
    this.#settings = settings;
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
  async list(context: RequestContext, request: PageRequest<ApprovalFilterInput>): Promise<ApprovalConnection> {
    const tenant = tenantOf(context);
    const { status = null, agentTaskId = null } = request.filter ?? {};
    if (status !== null && !Object.hasOwn(approvalStates, status)) throw unknownStatus();
    const page = sortedApprovals.page(this.#cursors, { tenantId: tenant.tenantId, status, agentTaskId }, request);
    const { reader } = this.#database;
    const rows = await reader.rows<ApprovalRow>(page.statement, tenant, status, agentTaskId, ...page.values);
    return page.connection(rows.map(approvalRowView));
  }

  /**
   * Approves or rejects a Pending request. Throws `SELF_APPROVAL` (four-eyes rule), `INVALID_STATE` if it is not Pending,
   * `INSUFFICIENT_SCOPE` if the caller approves scopes that it does not hold, or `AUTHENTICATION_TOO_OLD` and
   * `AUTHENTICATION_TOO_WEAK` if a person has to sign in again.
   */
  decide(
    context: RequestContext,
    field: Decision,
    asked: { approvalId: string; input: ApprovalDecisionInput | null | undefined },
  ): Promise<ApprovalType> {
    const { approvalId, input } = asked;
    if (decodeId("apr", approvalId) === undefined) throw unknownApproval();
    return idempotentMutation(this.#database, context, {
      field,
      arguments: { approvalId, input: input ?? null },
      prepare: () => this.#settings.get(tenantOf(context), "governance.approve.acr"),
      commit: async (transaction, level) => {
        const approval = await lockedApproval(transaction, approvalId);
        const decider = principalOf(context);
        await requireFourEyes(transaction, decider, { approval, level: higherLevel(approval.requiredAcr, level) });
        requirePending(approval);
        if (field === "approveScopes") requireApprovable(decider, approval.scopes);
        return conclude(transaction, approval, { field, decider, comment: input?.comment ?? null });
      },
    });
  }
}

async function lockedApproval({ em, tenant }: Transaction, approvalId: string): Promise<Approval> {
  const key = { tenantId: tenant.tenantId, approvalId };
  const approval = await em.findOne(Approval, key, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!approval) throw unknownApproval();
  return approval;
}

/** Where everybody needs an approval, nobody holds publishing scopes but those who may use them after one. */
function requireApprovable({ scopes, withheldScopes = [] }: Principal, asked: readonly string[]): void {
  const explanation = "Only a principal that holds the scopes itself can approve them.";
  requireScopesIn(new Set([...scopes, ...withheldScopes]), asked, explanation);
}

function requirePending(approval: Approval): void {
  const currentState = stateAt(approval, new Date());
  if (currentState !== "Pending")
    throw new DomainError("INVALID_STATE", {
      detail: `The approval is ${currentState}. Only a Pending approval can be decided.`,
      currentState,
      allowed: ["Pending"],
    });
}

function conclude(
  { record }: Transaction,
  approval: Approval,
  { field, decider, comment }: { field: Decision; decider: Principal; comment: string | null },
): ApprovalType {
  const { to, event } = decisions[field];
  const decidedAt = new Date();
  approval.status = to;
  approval.decidedBy = decider.subject;
  approval.decidedAt = decidedAt;
  approval.validUntil = new Date(decidedAt.getTime() + decisionMs);
  approval.comment = comment;
  const { approvalId } = approval;
  record({
    type: event,
    subject: `approvals/${approvalId}`,
    data: { ...approvalFacts(approval), decidedBy: decider.subject },
  });
  return approvalEntityView(approval);
}

const unknownApproval = () => new DomainError("NOT_FOUND", { detail: "The tenant has no approval with this id." });

const unknownStatus = () => invalidEnumValue([{ pointer: "/filter/status", allowed: Object.keys(approvalStates) }]);
