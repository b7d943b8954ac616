import type { SettingsOf } from "@factory/runtime/subgraph/slice-module";
import { approvals } from "./approvals/approvals.module.js";
import { auditLog } from "./audit-log/audit-log.module.js";
import { commands } from "./commands/commands.module.js";
import { httpEndpoints } from "./ground/http-endpoints/http-endpoints.module.js";
import { installationSecrets } from "./ground/installation-secrets/installation-secrets.module.js";
import { mail } from "./ground/mail/mail.module.js";
import { revocations } from "./ground/revocations/revocations.module.js";
import { jobs } from "./jobs/jobs.module.js";
import { notificationChannels } from "./notifications/notification-channels/notification-channels.module.js";
import { notificationTemplates } from "./notifications/notification-templates/notification-templates.module.js";
import { notifications } from "./notifications/notifications/notifications.module.js";
import { oauthClients } from "./oauth-clients/oauth-clients.module.js";
import { bootstrap } from "./people/bootstrap/bootstrap.module.js";
import { invitations } from "./people/invitations/invitations.module.js";
import { passwords } from "./people/passwords/passwords.module.js";
import { principals } from "./people/principals/principals.module.js";
import { userOrigins } from "./people/user-origins/user-origins.module.js";
import { users } from "./people/users/users.module.js";
import { entitlements } from "./plans/entitlements/entitlements.module.js";
import { planSubscriptions } from "./plans/plan-subscriptions/plan-subscriptions.module.js";
import { tenantSnapshots } from "./plans/tenant-snapshots/tenant-snapshots.module.js";
import { reports } from "./reports/reports/reports.module.js";
import { accessControl } from "./rights/access-control/access-control.module.js";
import { roles } from "./rights/roles/roles.module.js";
import { configuration } from "./settings/configuration/configuration.module.js";
import { featureFlags } from "./settings/feature-flags/feature-flags.module.js";
import { authorizationServer } from "./sign-in/authorization-server/authorization-server.module.js";
import { passkeys } from "./sign-in/passkeys/passkeys.module.js";
import { secondFactors } from "./sign-in/second-factors/second-factors.module.js";
import { signingKeys } from "./sign-in/signing-keys/signing-keys.module.js";
import { editions } from "./tenants/editions/editions.module.js";
import { tenants } from "./tenants/tenants/tenants.module.js";

/** This subgraph's slices. A slice uses only slices above its own. Provisioning runs their steps in this order. */
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
  jobs,
] as const;

export type SpineSettings = SettingsOf<typeof spineModules>;
