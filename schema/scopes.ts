/** The platform's OAuth scopes. A scope never implies another one. */
export const scopes = [
  "templates.read",
  "templates.write",
  "templates.execute",
  "templates.publish",
  "libraries.read",
  "libraries.write",
  "libraries.publish",
  "integration.connections.read",
  "integration.connections.write",
  "integration.providers.read",
  "integration.providers.write",
  "integration.runs.read",
  "integration.credentials.read",
  "integration.credentials.write",
  "integration.credentials.rotate",
  "integration.models.invoke",
  "integration.tools.invoke",
  "webhooks.subscriptions.read",
  "webhooks.subscriptions.write",
  "webhooks.deliveries.ingest",
  "webhooks.deliveries.read",
  "tenant.read",
  "tenant.manage",
  "user.read",
  "user.invite",
  "role.read",
  "role.assign",
  "subscription.read",
  "subscription.manage",
  "payments.write",
  "config.read",
  "config.manage",
  "flag.evaluate",
  "notification.read",
  "notification.send",
  "report.read",
  "report.generate",
  "entitlement.check",
  "client.read",
  "client.manage",
  "governance.read",
  "governance.approve",
  "jobs.read",
  "jobs.manage",
  "audit.read",
] as const;

/** An OAuth scope on the platform, for example `templates.read`. */
export type Scope = (typeof scopes)[number];

/**
 * The OpenID Connect scopes (Core 1.0 sections 5.4 and 11). They say what an application learns about a person who
 * signs in, and give no right in the API.
 */
export const identityScopes = ["openid", "profile", "email", "offline_access"] as const;

/** One of `identityScopes`. */
export type IdentityScope = (typeof identityScopes)[number];

/** Whether the scope is among `identityScopes`. */
export const isIdentityScope = (scope: string): scope is IdentityScope =>
  identityScopes.some((identityScope) => identityScope === scope);

/** An agent gets this scope only through an approval. */
export const needsAgentApproval = (scope: string): boolean => scope.endsWith(".publish");

/**
 * With these scopes an agent could create clients or users that outlive its task, approve its requests, move money, or
 * pass people's addresses from the audit log on to its model's provider.
 */
const withheldFromAgents: readonly string[] = [
  "client.manage",
  "user.invite",
  "role.assign",
  "governance.approve",
  "payments.write",
  "audit.read",
] satisfies readonly Scope[];

/** Whether an agent may hold the scope at all. See `needsAgentApproval` for scopes that also need an approval. */
export const isAgentScope = (scope: string): boolean => !withheldFromAgents.includes(scope);

/** The scopes for the platform's administrators, for all tenants and in the platform's own tenant. */
export const platformScopes = [
  "tenant.read",
  "tenant.manage",
  "governance.read",
  "governance.approve",
  "webhooks.subscriptions.read",
  "webhooks.subscriptions.write",
  "audit.read",
] as const satisfies readonly Scope[];

/** The scopes that a tenant's service client may hold. */
export const tenantScopes: readonly Scope[] = scopes.filter(
  (scope) => scope !== "tenant.read" && scope !== "tenant.manage",
);
