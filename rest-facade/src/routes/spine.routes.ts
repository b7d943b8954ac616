// biome-ignore-all format: one row per endpoint, aligned
import type { PlannedRoute, Route } from "./route.js";

/** SaaS spine. The path carries the major version, the api-version header the minor one. Token and discovery endpoints are plain HTTP and have no row. */
export const spineRoutes = [
  { at: "GET /v1/tenants",                       run: "tenants",         reply: 200, scopes: ["tenant.read"],   platformAdmin: true, version: "header" },
  { at: "POST /v1/tenants",                      run: "registerTenant",  reply: 201, scopes: ["tenant.manage"], platformAdmin: true, version: "header", idempotent: true },
  { at: "GET /v1/tenants/{tenantId}",            run: "tenant",          reply: 200, scopes: ["tenant.read"],   platformAdmin: true, version: "header" },
  { at: "POST /v1/tenants/{tenantId}/provision", run: "provisionTenant", reply: 202, scopes: ["tenant.manage"], platformAdmin: true, version: "header", idempotent: true, surface: "internal" },
  { at: "GET /v1/roles",                         run: "roles",           reply: 200, scopes: ["role.read"],     version: "header" },
  { at: "GET /v1/roles/{roleId}",                run: "role",            reply: 200, scopes: ["role.read"],     version: "header" },
  { at: "GET /v1/roles/{roleId}/assignments",    run: "roleAssignments", reply: 200, scopes: ["role.read"],     version: "header" },
  { at: "POST /v1/roles/{roleId}/assignments",   run: "assignRole",      reply: 201, scopes: ["role.assign"],   version: "header", idempotent: true, mayExist: true },
  { at: "DELETE /v1/roles/{roleId}/assignments/{assignmentId}", run: "unassignRole", reply: 204, scopes: ["role.assign"], version: "header", idempotent: true },
  { at: "GET /v1/approvals",                      run: "approvals",     reply: 200, scopes: ["governance.read"],    version: "header" },
  { at: "GET /v1/approvals/{approvalId}",         run: "approval",      reply: 200, scopes: ["governance.read"],    version: "header" },
  { at: "POST /v1/approvals/{approvalId}/approve", run: "approveScopes", reply: 200, scopes: ["governance.approve"], version: "header", idempotent: true },
  { at: "POST /v1/approvals/{approvalId}/reject", run: "rejectScopes",  reply: 200, scopes: ["governance.approve"], version: "header", idempotent: true },
  { at: "GET /v1/users",                                       run: "users",            reply: 200, scopes: ["user.read"],                version: "header" },
  { at: "GET /v1/users/{userId}",                              run: "user",             reply: 200, scopes: ["user.read"],                version: "header" },
  { at: "POST /v1/users/{userId}/disable",                     run: "disableUser",      reply: 200, scopes: ["user.invite"],              version: "header", idempotent: true },
  { at: "POST /v1/users/{userId}/enable",                      run: "enableUser",       reply: 200, scopes: ["user.invite"],              version: "header", idempotent: true },
  { at: "GET /v1/users/invitations",                           run: "invitations",      reply: 200, scopes: ["user.read", "user.invite"], version: "header" },
  { at: "POST /v1/users/invitations",                          run: "inviteUser",       reply: 201, scopes: ["user.invite"],              version: "header", idempotent: true },
  { at: "POST /v1/users/invitations/{invitationId}/resend",    run: "resendInvitation", reply: 200, scopes: ["user.invite"],              version: "header", idempotent: true },
  { at: "POST /v1/users/invitations/{invitationId}/revoke",    run: "revokeInvitation", reply: 200, scopes: ["user.invite"],              version: "header", idempotent: true },
  { at: "POST /v1/users/invitations/accept",                   run: "acceptInvitation", reply: 201, scopes: [],            anonymous: true, version: "header", location: "/v1/users/{userId}" },
  { at: "GET /v1/feature-flags",          run: "featureFlags",      reply: 200, scopes: ["config.read"],   version: "header" },
  { at: "GET /v1/feature-flags/{key}",    run: "featureFlag",       reply: 200, scopes: ["config.read"],   version: "header", etag: "version" },
  { at: "PUT /v1/feature-flags/{key}",    run: "setFeatureFlag",    reply: 201, scopes: ["config.manage"], version: "header", etag: "version", mayExist: true, idempotent: true },
  { at: "DELETE /v1/feature-flags/{key}", run: "deleteFeatureFlag", reply: 204, scopes: ["config.manage"], version: "header", idempotent: true },
  { at: "GET /v1/config",                 run: "configEntries",       reply: 200, scopes: ["config.read"],   version: "header" },
  { at: "GET /v1/config/{key}",           run: "configEntry",         reply: 200, scopes: ["config.read"],   version: "header", etag: "version" },
  { at: "PUT /v1/config/{key}",           run: "setConfiguration",    reply: 201, scopes: ["config.manage"], version: "header", etag: "version", mayExist: true, idempotent: true },
  { at: "DELETE /v1/config/{key}",        run: "deleteConfiguration", reply: 204, scopes: ["config.manage"], version: "header", idempotent: true },
] as const satisfies readonly Route[];

export const spinePlanned = [
  { at: "GET /v1/subscriptions",                      scopes: ["subscription.read"],              version: "header" },
  { at: "POST /v1/subscriptions/{id}/activate",       scopes: ["subscription.manage"],            version: "header" },
  { at: "GET /v1/notifications",                      scopes: ["notification.read"],              version: "header" },
  { at: "POST /v1/notifications",                     scopes: ["notification.send"],              version: "header" },
  { at: "GET /v1/reports",                            scopes: ["report.read"],                    version: "header" },
  { at: "POST /v1/reports/{id}/generate",             scopes: ["report.generate"],                version: "header" },
  { at: "GET /v1/reports/runs/{reportRunId}",         scopes: ["report.read", "report.generate"], version: "header" },
  { at: "GET /v1/reports/runs/{reportRunId}/content", scopes: ["report.read", "report.generate"], version: "header" },
  { at: "POST /ofrep/v1/evaluate/flags/{key}",        scopes: ["config.read", "flag.evaluate"] },
  { at: "POST /ofrep/v1/evaluate/flags",              scopes: ["config.read", "flag.evaluate"] },
] as const satisfies readonly PlannedRoute[];
