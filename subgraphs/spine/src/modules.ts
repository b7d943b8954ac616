import type { SettingsOf } from "@factory/runtime/subgraph/slice-module";
import { accessControl } from "./access-control/access-control.module.js";
import { approvals } from "./approvals/approvals.module.js";
import { auditLog } from "./audit-log/audit-log.module.js";
import { authorizationServer } from "./authorization-server/authorization-server.module.js";
import { bootstrap } from "./bootstrap/bootstrap.module.js";
import { commands } from "./commands/commands.module.js";
import { configuration } from "./configuration/configuration.module.js";
import { editions } from "./editions/editions.module.js";
import { entitlements } from "./entitlements/entitlements.module.js";
import { featureFlags } from "./feature-flags/feature-flags.module.js";
import { httpEndpoints } from "./http-endpoints/http-endpoints.module.js";
import { installationSecrets } from "./installation-secrets/installation-secrets.module.js";
import { invitations } from "./invitations/invitations.module.js";
import { mail } from "./mail/mail.module.js";
import { notificationChannels } from "./notification-channels/notification-channels.module.js";
import { notificationTemplates } from "./notification-templates/notification-templates.module.js";
import { notifications } from "./notifications/notifications.module.js";
import { oauthClients } from "./oauth-clients/oauth-clients.module.js";
import { passkeys } from "./passkeys/passkeys.module.js";
import { passwords } from "./passwords/passwords.module.js";
import { planSubscriptions } from "./plan-subscriptions/plan-subscriptions.module.js";
import { principals } from "./principals/principals.module.js";
import { reports } from "./reports/reports.module.js";
import { revocations } from "./revocations/revocations.module.js";
import { roles } from "./roles/roles.module.js";
import { secondFactors } from "./second-factors/second-factors.module.js";
import { signingKeys } from "./signing-keys/signing-keys.module.js";
import { tenantSnapshots } from "./tenant-snapshots/tenant-snapshots.module.js";
import { tenants } from "./tenants/tenants.module.js";
import { userOrigins } from "./user-origins/user-origins.module.js";
import { users } from "./users/users.module.js";

/** The slices of this subgraph. A slice uses only slices above its own. Provisioning runs their steps in this order. */
export const spineModules = [
  installationSecrets,
  accessControl,
  httpEndpoints,
  revocations,
  mail,
  editions,
  tenants,
  configuration,
  planSubscriptions,
  entitlements,
  featureFlags,
  roles,
  oauthClients,
  users,
  userOrigins,
  principals,
  invitations,
  passwords,
  approvals,
  notificationTemplates,
  notifications,
  notificationChannels,
  signingKeys,
  auditLog,
  secondFactors,
  passkeys,
  reports,
  authorizationServer,
  commands,
  tenantSnapshots,
  bootstrap,
] as const;

export type SpineSettings = SettingsOf<typeof spineModules>;
