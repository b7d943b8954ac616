import type { TableReferences } from "@factory/runtime/db/table-references";

/**
 * Every column that contains the id of another row, with its foreign key or the reason why it has none. A contract test
 * requires an entry for each. `tenant_id` has no foreign key to `tenants`: tenants are never deleted, and every insert
 * would lock the row of its tenant.
 */
export const spineReferences: TableReferences = {
  "role_assignments.role_id": {
    to: "roles.role_id",
    onDelete: "no action",
    why: "An assignment gives the scopes of its role. The assignments are deleted, with their events, before the role.",
  },
  "role_assignments.principal_id": { to: null, why: "The id of a user or of a client, as text." },
  "tenants.subscription_id": { to: null, why: "A tenant can exist without a plan subscription." },
  "tenants.owner_invitation_id": { to: null, why: "History: the first invitation of the owner." },
  "invitations.user_id": { to: null, why: "History: the user that accepted the invitation." },
  "approvals.agent_client_id": { to: null, why: "Audit: an approval is kept longer than the agent that asked for it." },
  "mails.about": { to: null, why: "An id of any kind, as text. A mail ends also when its subject no longer exists." },
  "api_clients.secret_held_by": {
    to: null,
    why: "Audit: the ids of the principals that received the secret, as text.",
  },
};
