import { platformScopes, type Scope, tenantScopes } from "@factory/schema/scopes";

interface SystemRole {
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly scopes: readonly Scope[];
}

const scopesThat = (holds: (scope: Scope) => boolean) => tenantScopes.filter(holds);
const isPublish = (scope: Scope) => scope.endsWith(".publish");

/** The code for the role that at least one active user in every tenant holds. */
export const ownerRole = "TenantOwner";

/** The roles that provisioning creates in every tenant except the platform's own. They cannot be changed. */
export const systemRoles: readonly SystemRole[] = [
  { code: ownerRole, name: "Owner", description: "Everything in the tenant.", scopes: tenantScopes },
  {
    code: "TenantAdmin",
    name: "Administrator",
    description: "Everything but the plan and publishing.",
    scopes: scopesThat((scope) => scope !== "subscription.manage" && !isPublish(scope)),
  },
  {
    code: "Developer",
    name: "Developer",
    description: "Writes and executes templates, registers libraries.",
    scopes: [
      "templates.read",
      "templates.write",
      "templates.execute",
      "libraries.read",
      "libraries.write",
      "integration.connections.read",
      "integration.providers.read",
      "integration.runs.read",
      "user.read",
      "role.read",
      "config.read",
      "report.read",
      "notification.read",
    ],
  },
  {
    code: "Publisher",
    name: "Publisher",
    description: "Publishes templates and libraries.",
    scopes: ["templates.read", "templates.publish", "libraries.read", "libraries.publish"],
  },
  {
    code: "Integrator",
    name: "Integrator",
    description: "Connects vendors, uses their models and tools, and receives webhooks.",
    scopes: scopesThat((scope) => scope.startsWith("integration.") || scope.startsWith("webhooks.subscriptions.")),
  },
  {
    code: "BillingAdmin",
    name: "Billing administrator",
    description: "Plan, payments and reports.",
    scopes: scopesThat((scope) => /^(subscription|payments|report)\./.test(scope)),
  },
  {
    code: "Viewer",
    name: "Viewer",
    description: "Reads everything but the audit log.",
    // the audit log has people's e-mail and network addresses
    scopes: scopesThat((scope) => scope.endsWith(".read") && scope !== "audit.read"),
  },
];

/** The only system role in the platform's tenant. Its holders' tokens carry `platformAdmin`. */
export const platformAdminRole: SystemRole = {
  code: "PlatformAdmin",
  name: "Platform administrator",
  description: "Tenants, and governance of the platform's own.",
  scopes: platformScopes,
};
