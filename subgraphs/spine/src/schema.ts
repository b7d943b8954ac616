import { jobResolver } from "@factory/runtime/jobs/job.resolver";
import type { JobService } from "@factory/runtime/jobs/job.service";
import { buildSubgraph, type Subgraph } from "@factory/runtime/subgraph/build-subgraph";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { ApprovalResolver } from "./approvals/approval.resolver.js";
import type { ApprovalService } from "./approvals/approval.service.js";
import { InvitationResolver } from "./invitations/invitation.resolver.js";
import type { InvitationService } from "./invitations/invitation.service.js";
import type { InvitationAcceptance } from "./invitations/invitation-acceptance.service.js";
import { OAuthClientResolver } from "./oauth-clients/oauth-client.resolver.js";
import type { OAuthClientService } from "./oauth-clients/oauth-client.service.js";
import type { OAuthClientAdministrationService } from "./oauth-clients/oauth-client-administration.service.js";
import { PrincipalResolver } from "./principals/principal.resolver.js";
import { RoleResolver } from "./roles/role.resolver.js";
import type { RoleService } from "./roles/role.service.js";
import { RoleAssignmentResolver } from "./roles/role-assignment.resolver.js";
import type { RoleAssignmentService } from "./roles/role-assignment.service.js";
import { SigningKeyResolver } from "./signing-keys/signing-key.resolver.js";
import type { SigningKeyService } from "./signing-keys/signing-key.service.js";
import type { ProvisioningService } from "./tenants/provisioning.service.js";
import { TenantResolver } from "./tenants/tenant.resolver.js";
import type { TenantService } from "./tenants/tenant.service.js";
import type { TenantLifecycleService } from "./tenants/tenant-lifecycle.service.js";
import { UserResolver } from "./users/user.resolver.js";
import type { UserService } from "./users/user.service.js";
import type { UserLifecycleService } from "./users/user-lifecycle.service.js";

export interface SpineServices {
  readonly jobs: JobService;
  readonly tenants: TenantService;
  readonly lifecycle: TenantLifecycleService;
  readonly provisioning: ProvisioningService;
  readonly apiClients: OAuthClientService;
  readonly apiClientAdministration: OAuthClientAdministrationService;
  readonly roles: RoleService;
  readonly roleAssignments: RoleAssignmentService;
  readonly approvals: ApprovalService;
  readonly users: UserService;
  readonly userLifecycle: UserLifecycleService;
  readonly invitations: InvitationService;
  readonly acceptance: InvitationAcceptance;
  readonly signingKeys: SigningKeyService;
}

/** The federated schema over its services. Printing its SDL calls none of them. */
export function spineSchema(services: SpineServices, logger: Logger): Subgraph {
  const { tenants, users } = services;
  const orNull = async <T>(found: Promise<T | undefined>): Promise<T | null> => (await found) ?? null;
  return buildSubgraph({
    logger,
    resolvers: [
      jobResolver("spine", services.jobs),
      new TenantResolver(tenants, services.lifecycle, services.provisioning),
      new OAuthClientResolver(services.apiClients, services.apiClientAdministration),
      new RoleResolver(services.roles),
      new RoleAssignmentResolver(services.roleAssignments),
      new ApprovalResolver(services.approvals),
      new PrincipalResolver(users, tenants),
      new UserResolver(users, services.userLifecycle),
      new InvitationResolver(services.invitations, services.acceptance),
      new SigningKeyResolver(services.signingKeys),
    ],
    references: {
      Tenant: {
        // no scope: a tenant's own facts are in its tokens anyway
        auth: {},
        resolve: ({ tenantId = "" }, context) => orNull(tenants.find(context, tenantId)),
      },
      User: {
        auth: { scopes: ["user.read"] },
        resolve: ({ userId = "" }, context) => orNull(users.find(context, userId)),
      },
      Invitation: {
        auth: { scopes: ["user.read", "user.invite"] },
        resolve: ({ invitationId = "" }, context) => orNull(services.invitations.find(context, invitationId)),
      },
      Role: {
        auth: { scopes: ["role.read"] },
        resolve: ({ roleId = "" }, context) => orNull(services.roles.find(context, roleId)),
      },
      OAuthClient: {
        auth: { scopes: ["client.read"] },
        resolve: ({ clientId = "" }, context) => orNull(services.apiClientAdministration.find(context, clientId)),
      },
      Approval: {
        auth: { scopes: ["governance.read"] },
        resolve: ({ approvalId = "" }, context) => orNull(services.approvals.find(context, approvalId)),
      },
    },
  });
}
