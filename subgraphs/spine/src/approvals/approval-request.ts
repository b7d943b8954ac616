import { advisoryLocks } from "@factory/runtime/db/advisory-locks";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { Scope } from "@factory/schema/scopes";
import { Approval } from "./approval.entity.js";
import { approvalFacts } from "./approval.events.js";

/** What an agent wants to be allowed. */
export interface ApprovalRequest {
  readonly agentClientId: string;
  readonly agentTaskId: string;
  readonly subject: string;
  readonly scopes: readonly Scope[];
}

/** What has been said to a wish so far, and until when that holds. */
export interface ApprovalDecision {
  readonly approvalId: string;
  readonly status: "Pending" | "Approved" | "Rejected";
  readonly validUntil: Date;
}

/** So many people can be asked for one agent at once. */
const maxPending = 20;
const pendingMs = 24 * 60 * 60_000;

interface DecisionRow {
  approval_id: string;
  status: ApprovalDecision["status"];
  valid_until_ms: number;
}

/** An approval covers a wish for fewer scopes; a question and a refusal speak of their own wish only. */
const decisionSelect = (
  tenant: string,
) => `select approval_id, status, extract(epoch from valid_until)::float8 * 1000 as valid_until_ms
  from approvals where tenant_id = ${tenant} and agent_client_id = $2 and agent_task_id = $3 and subject = $4 and valid_until > now()
    and (status = 'Approved' and scopes @> $5 or status in ('Pending', 'Rejected') and scope_key = $6)
  order by array_position(array['Approved', 'Rejected', 'Pending'], status), valid_until desc limit 1`;

const standing = tenantStatement("approval_standing", decisionSelect("scope.tenant"));

/** Asks for approvals on behalf of agents: each wish once. */
export class ApprovalRequests {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async standing(tenant: Tenant, wish: ApprovalRequest): Promise<ApprovalDecision | undefined> {
    return decisionView(await this.#database.reader.row<DecisionRow>(standing, tenant, ...requestValues(wish)));
  }

  /** The standing of the wish, which is Pending when nothing was said to it before. */
  request(tenant: Tenant, wish: ApprovalRequest, cause: Cause): Promise<ApprovalDecision> {
    return this.#database.transaction(tenant, cause, async (transaction) => {
      const { execute } = transaction;
      const agent = [tenant.uuid, wish.agentClientId];
      await execute("select pg_advisory_xact_lock($1, hashtext($2))", [
        advisoryLocks.approvalRequest,
        wish.agentClientId,
      ]);
      const said = decisionView(
        (await execute<DecisionRow>(decisionSelect("$1"), [tenant.uuid, ...requestValues(wish)]))[0],
      );
      if (said) return said;
      await execute(
        `update approvals set status = 'Expired' where tenant_id = $1 and agent_client_id = $2
           and status in ('Pending', 'Approved') and valid_until <= now()`,
        agent,
      );
      const [open] = await execute<{ count: number }>(
        `select count(*)::int as count from approvals
         where tenant_id = $1 and agent_client_id = $2 and status = 'Pending'`,
        agent,
      );
      if ((open?.count ?? 0) >= maxPending)
        throw new DomainError("RATE_LIMITED", { detail: `${maxPending} approvals of this agent are Pending.` });
      return ask(transaction, wish);
    });
  }
}

function ask({ em, tenant, record }: Transaction, wish: ApprovalRequest): ApprovalDecision {
  const requestedAt = new Date();
  const approval = em.create(Approval, {
    ...wish,
    tenantId: tenant.tenantId,
    approvalId: newId("apr"),
    scopes: [...wish.scopes],
    scopeKey: scopeKey(wish.scopes),
    status: "Pending",
    requestedAt,
    validUntil: new Date(requestedAt.getTime() + pendingMs),
    decidedBy: null,
    decidedAt: null,
    comment: null,
  });
  em.persist(approval);
  const { approvalId, validUntil } = approval;
  record({ type: "ScopeApprovalRequested", subject: `approvals/${approvalId}`, data: approvalFacts(approval) });
  return { approvalId, status: "Pending", validUntil };
}

const scopeKey = (scopes: readonly Scope[]) => scopes.toSorted().join(" ");

function requestValues({ agentClientId, agentTaskId, subject, scopes }: ApprovalRequest): unknown[] {
  return [agentClientId, agentTaskId, subject, scopes, scopeKey(scopes)];
}

function decisionView(row: DecisionRow | undefined): ApprovalDecision | undefined {
  if (!row) return undefined;
  const { approval_id: id, status, valid_until_ms: validUntilMs } = row;
  return { approvalId: encodeId("apr", id), status, validUntil: new Date(validUntilMs) };
}
