import type { RowOf } from "@factory/runtime/db/entity-rows";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { needsAgentApproval } from "@factory/schema/scopes";
import type { PrincipalType } from "@factory/schema/vocabularies/people";
import type { TenantSettings } from "../settings/configuration/tenant-settings.js";
import type { Approval } from "./approval.entity.js";
import { type ApprovalDecision, type ApprovalRequests, ownPublishingTask } from "./approval-request.js";

/** A user or service that publishes by itself, through this client. */
export interface Publisher {
  readonly tenant: Tenant;
  readonly principalType: PrincipalType;
  readonly clientId: string;
  readonly subject: string;
}

/** Which scopes a token may have now, as far as approvals decide. */
export interface PublishingDecision {
  readonly scopes: readonly string[];
  /** Publishing scopes that the principal holds and may use only after an approval. */
  readonly withheld: readonly string[];
  /** The claims that tell resources why the token may publish. */
  readonly claims: { readonly approvalId?: string; readonly publishApproval?: "NotRequired" };
  /** When the approval ends; epoch milliseconds. */
  readonly validUntil?: number;
}

type ApprovedRow = RowOf<Approval, "approvalId" | "scopes"> & { valid_until_ms: number };

const approvedRequest = tenantStatement(
  "approved_publishing",
  `select approval_id, scopes, extract(epoch from valid_until)::float8 * 1000 as valid_until_ms from approvals
   where tenant_id = scope.tenant and agent_client_id = $clientId and agent_task_id = $task and subject = $subject
     and status = 'Approved' and valid_until > now() and scopes && $publishing
   order by cardinality(scopes) desc, valid_until desc limit 1`,
);

/** Whether a tenant wants an approval before somebody publishes (`governance.publish.requiresApproval`), and who has one. */
export class PublishApprovals {
  readonly #database: Database;
  readonly #requests: ApprovalRequests;
  readonly #settings: TenantSettings;

  constructor(database: Database, requests: ApprovalRequests, settings: TenantSettings) {
    this.#database = database;
    this.#requests = requests;
    this.#settings = settings;
  }

  /** Whether this principal type needs an approval for publishing scopes. */
  async required(tenant: Tenant, principalType: PrincipalType): Promise<boolean> {
    const requirement = await this.#settings.get(tenant, "governance.publish.requiresApproval");
    return typeof requirement === "boolean" ? requirement : requirement.includes(principalType);
  }

  /** Takes out the publishing scopes that need an approval and have none. */
  async decide(publisher: Publisher, scopes: readonly string[]): Promise<PublishingDecision> {
    const publishing = scopes.filter(needsAgentApproval);
    if (publishing.length === 0) return { scopes, withheld: [], claims: {} };
    const { tenant, principalType, clientId, subject } = publisher;
    if (!(await this.required(tenant, principalType)))
      return { scopes, withheld: [], claims: { publishApproval: "NotRequired" } };
    const values = approvedRequest.valuesOf({ clientId, task: ownPublishingTask, subject, publishing });
    const approval = await this.#database.reader.row<ApprovedRow>(approvedRequest, tenant, ...values);
    const approvedScopes: readonly string[] = approval?.scopes ?? [];
    const withheld = publishing.filter((scope) => !approvedScopes.includes(scope));
    const remainingScopes = scopes.filter((scope) => !withheld.includes(scope));
    if (!approval) return { scopes: remainingScopes, withheld, claims: {} };
    const claims = { approvalId: encodeId("apr", approval.approval_id) };
    return { scopes: remainingScopes, withheld, claims, validUntil: approval.valid_until_ms };
  }

  /** The decision on the publisher's request for these scopes, which is stored as Pending if it is new. */
  request(publisher: Publisher, scopes: readonly string[], cause: Cause): Promise<ApprovalDecision> {
    const { tenant, clientId, subject } = publisher;
    return this.#requests.requestOrFind(
      tenant,
      {
        agentClientId: clientId,
        agentTaskId: ownPublishingTask,
        subject,
        scopes: scopes.filter(needsAgentApproval),
      },
      cause,
    );
  }
}
