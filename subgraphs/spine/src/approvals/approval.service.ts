import type { Principal } from "@factory/runtime/auth/principal";
import type { Database, Transaction } from "@factory/runtime/db/database";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { mutate } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { connectionOf, type PageRequest, pageSize } from "@factory/runtime/pagination/page";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import { LockMode } from "@mikro-orm/postgresql";
import { requireHeld } from "../held-scopes.js";
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

/** How long a decision holds. */
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

const approvalsBefore = tenantStatement(
  "approvals_before",
  `select ${approvalColumns} from approvals where tenant_id = scope.tenant
     and ($2::text is null or ${currentStatus} = $2) and ($3::text is null or agent_task_id = $3)
     and ($4::timestamptz is null or (requested_at, approval_id) < ($4, $5::uuid))
   order by requested_at desc, approval_id desc limit $6`,
);

export class ApprovalService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async find(context: RequestContext, approvalId: string): Promise<ApprovalType | undefined> {
    const uuid = decodeId("apr", approvalId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<ApprovalRow>(approvalById, tenantOf(context), uuid);
    return row && approvalRowView(row);
  }

  async get(context: RequestContext, approvalId: string): Promise<ApprovalType> {
    const approval = await this.find(context, approvalId);
    if (!approval) throw unknownApproval();
    return approval;
  }

  /** Keyset on (requestedAt, approvalId), newest first. */
  async list(context: RequestContext, request: PageRequest<ApprovalFilterInput>): Promise<ApprovalConnection> {
    const { first, after, filter } = request;
    const size = pageSize(first);
    const tenant = tenantOf(context);
    const { status = null, agentTaskId = null } = filter ?? {};
    if (status !== null && !Object.hasOwn(approvalStates, status)) throw unknownStatus();
    const list = { list: "approvals", tenantId: tenant.tenantId, status, agentTaskId };
    const [requestedAt, id] = after == null ? [null, null] : (this.#cursors.open(list, after) as [string, string]);
    const { reader } = this.#database;
    const filters = [status, agentTaskId, requestedAt, id];
    const rows = await reader.rows<ApprovalRow>(approvalsBefore, tenant, ...filters, size + 1);
    const cursorOf = (approval: ApprovalType) =>
      this.#cursors.seal(list, [approval.requestedAt, decodeId("apr", approval.approvalId) ?? ""]);
    return connectionOf(rows.map(approvalRowView), { size, after, cursorOf });
  }

  /** By somebody else than the subject and the agents; once. */
  decide(
    context: RequestContext,
    field: Decision,
    asked: { approvalId: string; input: ApprovalDecisionInput | null | undefined },
  ): Promise<ApprovalType> {
    const { approvalId, input } = asked;
    if (decodeId("apr", approvalId) === undefined) throw unknownApproval();
    return mutate(this.#database, context, {
      field,
      arguments: { approvalId, input: input ?? null },
      commit: async (transaction) => {
        const approval = await lockedApproval(transaction, approvalId);
        const decider = principalOf(context);
        await requireFourEyes(transaction, decider, approval);
        requirePending(approval);
        if (field === "approveScopes") requireHeld(context, approval.scopes);
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

function requirePending(approval: Approval): void {
  const currentState = stateAt(approval, new Date());
  if (currentState !== "Pending")
    throw new DomainError("INVALID_STATE", {
      detail: `The approval is ${currentState}.`,
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

const unknownApproval = () => new DomainError("NOT_FOUND", { detail: "No such approval in this tenant." });

function unknownStatus(): DomainError {
  const allowed = Object.keys(approvalStates).join(", ");
  return new DomainError("VALIDATION_FAILED", {
    detail: "There is no such status.",
    errors: [{ pointer: "/filter/status", code: "UNKNOWN_VALUE", detail: `Must be one of ${allowed}.` }],
  });
}
