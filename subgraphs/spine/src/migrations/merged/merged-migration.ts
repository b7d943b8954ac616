// Written by `npm run merge-migrations`.

import type { MergedMigration } from "@factory/runtime/unit-of-work/merged-migration";
import { approvals } from "./approvals.js";
import { auditLog } from "./audit-log.js";
import { foreignKeys } from "./foreign-keys.js";
import { ground } from "./ground.js";
import { notifications } from "./notifications.js";
import { oauthClients } from "./oauth-clients.js";
import { people } from "./people.js";
import { plans } from "./plans.js";
import { reports } from "./reports.js";
import { rights } from "./rights.js";
import { runtime } from "./runtime.js";
import { settings } from "./settings.js";
import { signIn } from "./sign-in.js";
import { tenants } from "./tenants.js";

/** The tables of the spine as the replaced migrations make them. */
export const mergedMigration: MergedMigration = {
  name: "Merged20261130144732",
  replaces: [
    "Migration20261121070911_first",
    "Migration20261121075523_retention",
    "Migration20261121123829_identity",
    "Migration20261121124727_system_roles_digest",
    "Migration20261121125328_users_and_invitations",
    "Migration20261121125639_role_assignment_expiry",
    "Migration20261121125948_user_ids",
    "Migration20261121130418_approvals_task",
    "Migration20261121133131_client_tokens_from",
    "Migration20261121135646_user_name_key",
    "Migration20261121135958_user_tokens_from",
    "Migration20261121142212_client_keys",
    "Migration20261121144339_secret_held_by",
    "Migration20261121161414_outbox_wake",
    "Migration20261122072419_outbox_status",
    "Migration20261122074348_waiting_rows",
    "Migration20261122103120_list_orders",
    "Migration20261122104313_foreign_keys",
    "Migration20261122181104_tenant_version",
    "Migration20261122181445_tenant_limits",
    "Migration20261122181652_editions",
    "Migration20261122182226_feature_flags",
    "Migration20261122182420_usage",
    "Migration20261122182758_configuration",
    "Migration20261122183027_plan_subscription_periods",
    "Migration20261122182653_audit_log",
    "Migration20261122182700_audit_log_privileges",
    "Migration20261123113301_paid_at",
    "Migration20261123142150_passkeys",
    "Migration20261123142052_notifications",
    "Migration20261123142150_people_security",
    "Migration20261123143841_notification_channels",
    "Migration20261123142957_reports",
    "Migration20261123160853_notification_indexes",
    "Migration20261123155935_notification_limits",
    "Migration20261123173419_notification_erasures",
    "Migration20261123175342_notification_templates",
    "Migration20261123181500_notification_lanes",
    "Migration20261123172000_approval_levels",
    "Migration20261127231232_list_times",
    "Migration20261128013306_identity_scopes",
    "Migration20261128013602_edition_self_service",
    "Migration20261128013622_factor_locks",
    "Migration20261128014107_protected_settings",
    "Migration20261128014834_platform_made_clients",
    "Migration20261128024209_disabled_with_user",
    "Migration20261128054200_subject_versions",
    "Migration20261128070056_foreign_json",
    "Migration20261128185500_international_addresses",
    "Migration20261130144732_provisioning_run_reads",
  ],
  statements: [
    ...oauthClients,
    ...runtime,
    ...plans,
    ...tenants,
    ...signIn,
    ...approvals,
    ...people,
    ...ground,
    ...rights,
    ...settings,
    ...auditLog,
    ...notifications,
    ...reports,
    ...foreignKeys,
  ],
};
