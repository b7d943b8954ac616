import type { TableReferences } from "@factory/runtime/db/table-references";

/**
 * Every column that names a row, and whether PostgreSQL holds both together. `test/contract` asks for a word on each.
 * `tenant_id` has no key to `tenants`: no tenant is ever deleted, and each row that is written would lock that of its tenant.
 */
export const spineReferences: TableReferences = {
  "role_assignments.role_id": {
    to: "roles.role_id",
    onDelete: "no action",
    why: "An assignment gives the scopes of its role, and its end is told before the role goes.",
  },
  "role_assignments.principal_id": { to: null, why: "A user or a client, as text." },
  "tenants.subscription_id": { to: null, why: "The tenant is one without it; the plan subscription is the part." },
  "tenants.owner_invitation_id": { to: null, why: "History: who was invited first." },
  "invitations.user_id": { to: null, why: "History: an invitation says what came of it." },
  "approvals.agent_client_id": { to: null, why: "Audit: an approval outlives the agent that asked for it." },
  "mails.about": { to: null, why: "As text, of whatever kind; a mail ends even when what it is about is gone." },
  "api_clients.secret_held_by": { to: null, why: "Audit: who was told the secret, as text." },
};
