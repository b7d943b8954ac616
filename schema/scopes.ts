/** Every scope the platform knows. No scope implies another. */
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
  "webhooks.subscriptions.read",
  "webhooks.subscriptions.write",
  "webhooks.deliveries.ingest",
  "tenant.read",
  "tenant.manage",
  "user.read",
  "user.invite",
  "role.read",
  "role.assign",
  "subscription.read",
  "subscription.manage",
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
] as const;

export type Scope = (typeof scopes)[number];

/** An agent holds it with an approval alone. */
export const needsAgentApproval = (scope: string): boolean => scope.endsWith(".publish");

/** Who they make or let in would outlive the agent's task, and be a second pair of eyes for it. */
const withheldFromAgents: readonly string[] = [
  "client.manage",
  "user.invite",
  "role.assign",
  "governance.approve",
] satisfies readonly Scope[];

/** An agent may hold it, whomever it acts for; see `needsAgentApproval` for what it holds with an approval alone. */
export const isAgentScope = (scope: string): boolean => !withheldFromAgents.includes(scope);

/** What the platform's administrators hold, for the tenants and in the platform's own tenant. */
export const platformScopes = [
  "tenant.read",
  "tenant.manage",
  "governance.read",
  "governance.approve",
  "webhooks.subscriptions.read",
  "webhooks.subscriptions.write",
] as const satisfies readonly Scope[];

/** What a service client of a tenant may hold. */
export const tenantScopes: readonly Scope[] = scopes.filter(
  (scope) => scope !== "tenant.read" && scope !== "tenant.manage",
);
