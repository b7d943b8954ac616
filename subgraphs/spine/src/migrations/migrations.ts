import { Migration20261121070911_first } from "./Migration20261121070911_first.js";
import { Migration20261121075523_retention } from "./Migration20261121075523_retention.js";
import { Migration20261121123829_identity } from "./Migration20261121123829_identity.js";
import { Migration20261121124727_system_roles_digest } from "./Migration20261121124727_system_roles_digest.js";
import { Migration20261121125328_users_and_invitations } from "./Migration20261121125328_users_and_invitations.js";
import { Migration20261121125639_role_assignment_expiry } from "./Migration20261121125639_role_assignment_expiry.js";
import { Migration20261121125948_user_ids } from "./Migration20261121125948_user_ids.js";
import { Migration20261121130418_approvals_task } from "./Migration20261121130418_approvals_task.js";
import { Migration20261121133131_client_tokens_from } from "./Migration20261121133131_client_tokens_from.js";
import { Migration20261121135646_user_name_key } from "./Migration20261121135646_user_name_key.js";
import { Migration20261121135958_user_tokens_from } from "./Migration20261121135958_user_tokens_from.js";
import { Migration20261121142212_client_keys } from "./Migration20261121142212_client_keys.js";
import { Migration20261121144339_secret_held_by } from "./Migration20261121144339_secret_held_by.js";
import { Migration20261121161414_outbox_wake } from "./Migration20261121161414_outbox_wake.js";
import { Migration20261122072419_outbox_status } from "./Migration20261122072419_outbox_status.js";
import { Migration20261122074348_waiting_rows } from "./Migration20261122074348_waiting_rows.js";
import { Migration20261122103120_list_orders } from "./Migration20261122103120_list_orders.js";
import { Migration20261122104313_foreign_keys } from "./Migration20261122104313_foreign_keys.js";
import { Migration20261122181104_tenant_version } from "./Migration20261122181104_tenant_version.js";
import { Migration20261122181445_tenant_limits } from "./Migration20261122181445_tenant_limits.js";
import { Migration20261122181652_editions } from "./Migration20261122181652_editions.js";
import { Migration20261122182226_feature_flags } from "./Migration20261122182226_feature_flags.js";
import { Migration20261122182420_usage } from "./Migration20261122182420_usage.js";
import { Migration20261122182653_audit_log } from "./Migration20261122182653_audit_log.js";
import { Migration20261122182700_audit_log_privileges } from "./Migration20261122182700_audit_log_privileges.js";
import { Migration20261122182758_configuration } from "./Migration20261122182758_configuration.js";
import { Migration20261122183027_plan_subscription_periods } from "./Migration20261122183027_plan_subscription_periods.js";
import { Migration20261123113301_paid_at } from "./Migration20261123113301_paid_at.js";
import { Migration20261123142052_notifications } from "./Migration20261123142052_notifications.js";
import { Migration20261123142150_passkeys } from "./Migration20261123142150_passkeys.js";
import { Migration20261123142150_people_security } from "./Migration20261123142150_people_security.js";
import { Migration20261123142957_reports } from "./Migration20261123142957_reports.js";
import { Migration20261123143841_notification_channels } from "./Migration20261123143841_notification_channels.js";
import { Migration20261123155935_notification_limits } from "./Migration20261123155935_notification_limits.js";
import { Migration20261123160853_notification_indexes } from "./Migration20261123160853_notification_indexes.js";
import { Migration20261123172000_approval_levels } from "./Migration20261123172000_approval_levels.js";
import { Migration20261123173419_notification_erasures } from "./Migration20261123173419_notification_erasures.js";
import { Migration20261123175342_notification_templates } from "./Migration20261123175342_notification_templates.js";
import { Migration20261123181500_notification_lanes } from "./Migration20261123181500_notification_lanes.js";
import { Migration20261127231232_list_times } from "./Migration20261127231232_list_times.js";
import { Migration20261128013306_identity_scopes } from "./Migration20261128013306_identity_scopes.js";
import { Migration20261128013602_edition_self_service } from "./Migration20261128013602_edition_self_service.js";
import { Migration20261128013622_factor_locks } from "./Migration20261128013622_factor_locks.js";
import { Migration20261128014107_protected_settings } from "./Migration20261128014107_protected_settings.js";
import { Migration20261128014834_platform_made_clients } from "./Migration20261128014834_platform_made_clients.js";
import { Migration20261128024209_disabled_with_user } from "./Migration20261128024209_disabled_with_user.js";
import { Migration20261128054200_subject_versions } from "./Migration20261128054200_subject_versions.js";
import { Migration20261128070056_foreign_json } from "./Migration20261128070056_foreign_json.js";
import { Migration20261128185500_international_addresses } from "./Migration20261128185500_international_addresses.js";
import { Migration20261130144732_provisioning_run_reads } from "./Migration20261130144732_provisioning_run_reads.js";

/**
 * In the order in which a database runs them; `npm run migration` adds new ones. Those that the merged migration replaces
 * in a new database go after the first release.
 */
export const migrations = [
  Migration20261121070911_first,
  Migration20261121075523_retention,
  Migration20261121123829_identity,
  Migration20261121124727_system_roles_digest,
  Migration20261121125328_users_and_invitations,
  Migration20261121125639_role_assignment_expiry,
  Migration20261121125948_user_ids,
  Migration20261121130418_approvals_task,
  Migration20261121133131_client_tokens_from,
  Migration20261121135646_user_name_key,
  Migration20261121135958_user_tokens_from,
  Migration20261121142212_client_keys,
  Migration20261121144339_secret_held_by,
  Migration20261121161414_outbox_wake,
  Migration20261122072419_outbox_status,
  Migration20261122074348_waiting_rows,
  Migration20261122103120_list_orders,
  Migration20261122104313_foreign_keys,
  Migration20261122181104_tenant_version,
  Migration20261122181445_tenant_limits,
  Migration20261122181652_editions,
  Migration20261122182226_feature_flags,
  Migration20261122182420_usage,
  Migration20261122182758_configuration,
  Migration20261122183027_plan_subscription_periods,
  Migration20261122182653_audit_log,
  Migration20261122182700_audit_log_privileges,
  Migration20261123113301_paid_at,
  Migration20261123142150_passkeys,
  Migration20261123142052_notifications,
  Migration20261123142150_people_security,
  Migration20261123143841_notification_channels,
  Migration20261123142957_reports,
  Migration20261123160853_notification_indexes,
  Migration20261123155935_notification_limits,
  Migration20261123173419_notification_erasures,
  Migration20261123175342_notification_templates,
  Migration20261123181500_notification_lanes,
  Migration20261123172000_approval_levels,
  Migration20261127231232_list_times,
  Migration20261128013306_identity_scopes,
  Migration20261128013602_edition_self_service,
  Migration20261128013622_factor_locks,
  Migration20261128014107_protected_settings,
  Migration20261128014834_platform_made_clients,
  Migration20261128024209_disabled_with_user,
  Migration20261128054200_subject_versions,
  Migration20261128070056_foreign_json,
  Migration20261128185500_international_addresses,
  Migration20261130144732_provisioning_run_reads,
];
