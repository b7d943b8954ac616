import { advisoryLocks } from "@factory/runtime/db/advisory-locks";
import type { RowOf } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { AuthenticationLevel } from "@factory/schema/authentication-levels";
import type { Scope } from "@factory/schema/scopes";
import type { TenantSettings } from "../settings/configuration/tenant-settings.js";
import { Approval } from "./approval.entity.js";
import { approvalFacts } from "./approval.events.js";
import type { FourEyesRequest } from "./four-eyes-rule/four-eyes.js";

/** Scopes that an agent wants for one task and one subject. */
export interface ApprovalRequest {
  readonly agentClientId: string;
  readonly agentTaskId: string;
  readonly subject: string;
  readonly scopes: readonly string[];
}

/**
 * The task for a user or service that publishes without an agent. No agent can name it, because it ends with a space.
 */
export const ownPublishingTask = "own publishing ";

/** The request as the four-eyes rule looks at it. */
export const fourEyesRequest = (approval: Approval): FourEyesRequest => {
  const { subject, agentClientId, agentTaskId, setting } = approval;
  const byAgent = agentTaskId !== ownPublishingTask && setting === null;
  return { subject, agent: byAgent ? agentClientId : null, ofPeople: setting !== null };
};

/** The decision on a request so far, and until when it is valid. */
export interface ApprovalDecision {
  readonly approvalId: string;
  readonly status: "Pending" | "Approved" | "Rejected";
  readonly validUntil: Date;
}

/** Undecided requests from one agent, or from one user or service that publishes without an agent. */
const maxPending = 20;
const pendingMs = 24 * 60 * 60_000;

type DecisionRow = RowOf<Approval, "approvalId"> & Pick<ApprovalDecision, "status"> & { valid_until_ms: number };

/** An approval also covers a request for fewer scopes. A pending or rejected request covers exactly the same scopes. */
const decisionSelect = (
  tenant: string,
) => `select approval_id, status, extract(epoch from valid_until)::float8 * 1000 as valid_until_ms
  from approvals where tenant_id = ${tenant} and agent_client_id = $agentClientId and agent_task_id = $agentTaskId and subject = $subject and valid_until > now()
    and setting is null and (status = 'Approved' and scopes @> $scopes or status in ('Pending', 'Rejected') and scope_key = $scopeKey)
  order by array_position(array['Approved', 'Rejected', 'Pending'], status), valid_until desc limit 1`;

const approvalDecision = tenantStatement("approval_decision", decisionSelect("scope.tenant"));
const storedDecision = namedStatement("stored_approval_decision", decisionSelect("$tenant"));

/** Agents' requests for publishing scopes. The same request is stored once. */
export class ApprovalRequests {
  readonly #database: Database;
  readonly #settings: TenantSettings;

  constructor(database: Database, settings: TenantSettings) {
    this.#database = database;
    this.#settings = settings;
  }

  /** The decision on an earlier request that covers this one; undefined if there is none. */
  async find(tenant: Tenant, request: ApprovalRequest): Promise<ApprovalDecision | undefined> {
    const values = approvalDecision.valuesOf(namedValues(request));
    return decisionView(await this.#database.reader.row<DecisionRow>(approvalDecision, tenant, ...values));
  }

  /** As `find`, and as `request` where no decision exists. */
  async requestOrFind(tenant: Tenant, request: ApprovalRequest, cause: Cause): Promise<ApprovalDecision> {
    return (await this.find(tenant, request)) ?? this.request(tenant, request, cause);
  }

  /** The decision on the request. A new request is stored as Pending. Throws `RATE_LIMITED` with too many Pending ones. */
  async request(tenant: Tenant, request: ApprovalRequest, cause: Cause): Promise<ApprovalDecision> {
    const requiredAcr = await this.#settings.get(tenant, "governance.approve.acr");
    return this.#database.transaction(tenant, cause, async (transaction) => {
      const { execute } = transaction;
      const agent = [tenant.uuid, request.agentClientId];
      await execute("select pg_advisory_xact_lock($1, hashtext($2))", [
        advisoryLocks.approvalRequest,
        request.agentClientId,
      ]);
      const values = storedDecision.valuesOf({ tenant: tenant.uuid, ...namedValues(request) });
      const decision = decisionView((await execute<DecisionRow>(storedDecision, values))[0]);
      if (decision) return decision;
      await execute(
        `update approvals set status = 'Expired' where tenant_id = $1 and agent_client_id = $2
           and setting is null and status in ('Pending', 'Approved') and valid_until <= now()`,
        agent,
      );
      const [open] = await execute<{ count: number }>(
        `select count(*)::int as count from approvals
         where tenant_id = $1 and agent_client_id = $2 and setting is null and status = 'Pending'
           and ($3::text is null or subject = $3)`,
        [...agent, request.agentTaskId === ownPublishingTask ? request.subject : null],
      );
      if ((open?.count ?? 0) >= maxPending)
        throw new DomainError("RATE_LIMITED", {
          detail: `There are ${maxPending} requests that are Pending, which is the limit. Wait until one of them is decided.`,
        });
      return storeRequest(transaction, request, requiredAcr);
    });
  }
}

function storeRequest(
  { em, tenant, record, audit }: Transaction,
  request: ApprovalRequest,
  requiredAcr: AuthenticationLevel | null,
): ApprovalDecision {
  const { subject: principal, agentClientId: agent, agentTaskId: agenttaskid } = request;
  audit({ operation: "requestApproval", principal, principaltype: "Agent", agent, agenttaskid });
  const requestedAt = new Date();
  const approval = em.create(Approval, {
    ...request,
    tenantId: tenant.tenantId,
    approvalId: newId("apr"),
    scopes: request.scopes as Scope[],
    scopeKey: scopeKey(request.scopes),
    setting: null,
    status: "Pending",
    requiredAcr,
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

const scopeKey = (scopes: readonly string[]) => scopes.toSorted().join(" ");

const namedValues = ({ agentClientId, agentTaskId, subject, scopes }: ApprovalRequest) => ({
  ...{ agentClientId, agentTaskId, subject, scopes, scopeKey: scopeKey(scopes) },
});

function decisionView(row: DecisionRow | undefined): ApprovalDecision | undefined {
  if (!row) return undefined;
  const { approval_id: id, status, valid_until_ms: validUntilMs } = row;
  return { approvalId: encodeId("apr", id), status, validUntil: new Date(validUntilMs) };
}
