import { Migration20261121071553_first } from "./Migration20261121071553_first.js";
import { Migration20261121075519_retention } from "./Migration20261121075519_retention.js";
import { Migration20261121110030_api_clients } from "./Migration20261121110030_api_clients.js";
import { Migration20261121123322_provider_status_reason } from "./Migration20261121123322_provider_status_reason.js";
import { Migration20261121161410_outbox_wake } from "./Migration20261121161410_outbox_wake.js";
import { Migration20261122072416_outbox_status } from "./Migration20261122072416_outbox_status.js";
import { Migration20261122073232_webhook_dispatch } from "./Migration20261122073232_webhook_dispatch.js";
import { Migration20261122103117_list_orders } from "./Migration20261122103117_list_orders.js";
import { Migration20261122103322_credential_rewrapping } from "./Migration20261122103322_credential_rewrapping.js";
import { Migration20261122104308_foreign_keys } from "./Migration20261122104308_foreign_keys.js";
import { Migration20261122104750_event_sequences } from "./Migration20261122104750_event_sequences.js";
import { Migration20261122182846_tenant_projections } from "./Migration20261122182846_tenant_projections.js";
import { Migration20261123011848_inbound_deliveries } from "./Migration20261123011848_inbound_deliveries.js";
import { Migration20261123011913_inbound_subscription_keys } from "./Migration20261123011913_inbound_subscription_keys.js";
import { Migration20261123011936_credential_life } from "./Migration20261123011936_credential_life.js";
import { Migration20261123012019_provider_drivers } from "./Migration20261123012019_provider_drivers.js";
import { Migration20261123012105_runs } from "./Migration20261123012105_runs.js";
import { Migration20261123012547_connections } from "./Migration20261123012547_connections.js";
import { Migration20261123012605_connection_keys } from "./Migration20261123012605_connection_keys.js";
import { Migration20261123013112_generated_secrets } from "./Migration20261123013112_generated_secrets.js";
import { Migration20261123013435_connection_tokens } from "./Migration20261123013435_connection_tokens.js";
import { Migration20261123014201_inbound_lookup } from "./Migration20261123014201_inbound_lookup.js";
import { Migration20261123014309_connection_health } from "./Migration20261123014309_connection_health.js";
import { Migration20261123015445_connection_authorizations } from "./Migration20261123015445_connection_authorizations.js";
import { Migration20261123015528_connection_authorization_keys } from "./Migration20261123015528_connection_authorization_keys.js";
import { Migration20261123021917_routine_runs } from "./Migration20261123021917_routine_runs.js";
import { Migration20261123030825_vendor_keys } from "./Migration20261123030825_vendor_keys.js";
import { Migration20261123050911_provider_hosts } from "./Migration20261123050911_provider_hosts.js";
import { Migration20261123051527_token_clients } from "./Migration20261123051527_token_clients.js";
import { Migration20261123052116_connection_retention } from "./Migration20261123052116_connection_retention.js";
import { Migration20261123055035_connection_accounts } from "./Migration20261123055035_connection_accounts.js";
import { Migration20261123055654_failed_deliveries } from "./Migration20261123055654_failed_deliveries.js";
import { Migration20261123084940_delivery_settings } from "./Migration20261123084940_delivery_settings.js";
import { Migration20261123084958_vendor_commands } from "./Migration20261123084958_vendor_commands.js";
import { Migration20261123085034_webhook_operations } from "./Migration20261123085034_webhook_operations.js";
import { Migration20261123085134_tools } from "./Migration20261123085134_tools.js";
import { Migration20261123085444_causal_chains } from "./Migration20261123085444_causal_chains.js";
import { Migration20261123085635_model_budgets } from "./Migration20261123085635_model_budgets.js";
import { Migration20261123090821_webhook_handshake } from "./Migration20261123090821_webhook_handshake.js";
import { Migration20261123091005_vendor_reports } from "./Migration20261123091005_vendor_reports.js";
import { Migration20261123091600_model_contents } from "./Migration20261123091600_model_contents.js";
import { Migration20261123092234_handshake_endpoint } from "./Migration20261123092234_handshake_endpoint.js";
import { Migration20261123113250_payments } from "./Migration20261123113250_payments.js";
import { Migration20261123113600_webhook_replays } from "./Migration20261123113600_webhook_replays.js";
import { Migration20261127231214_list_times } from "./Migration20261127231214_list_times.js";
import { Migration20261128070048_foreign_json } from "./Migration20261128070048_foreign_json.js";
import { Migration20261128073406_left_out_tools } from "./Migration20261128073406_left_out_tools.js";
import { Migration20261128184500_awaited_material } from "./Migration20261128184500_awaited_material.js";
import { Migration20261128190000_refused_deliveries } from "./Migration20261128190000_refused_deliveries.js";
import { Migration20261128190100_webhook_presets } from "./Migration20261128190100_webhook_presets.js";

/**
 * In the order in which a database runs them; `npm run migration` adds new ones. Those that the merged migration replaces
 * in a new database go after the first release.
 */
export const migrations = [
  Migration20261121071553_first,
  Migration20261121075519_retention,
  Migration20261121110030_api_clients,
  Migration20261121123322_provider_status_reason,
  Migration20261121161410_outbox_wake,
  Migration20261122072416_outbox_status,
  Migration20261122073232_webhook_dispatch,
  Migration20261122103117_list_orders,
  Migration20261122103322_credential_rewrapping,
  Migration20261122104308_foreign_keys,
  Migration20261122104750_event_sequences,
  Migration20261122182846_tenant_projections,
  Migration20261123011848_inbound_deliveries,
  Migration20261123011913_inbound_subscription_keys,
  Migration20261123012019_provider_drivers,
  Migration20261123011936_credential_life,
  Migration20261123012105_runs,
  Migration20261123012547_connections,
  Migration20261123012605_connection_keys,
  Migration20261123013112_generated_secrets,
  Migration20261123013435_connection_tokens,
  Migration20261123014309_connection_health,
  Migration20261123014201_inbound_lookup,
  Migration20261123015445_connection_authorizations,
  Migration20261123015528_connection_authorization_keys,
  Migration20261123021917_routine_runs,
  Migration20261123030825_vendor_keys,
  Migration20261123050911_provider_hosts,
  Migration20261123052116_connection_retention,
  Migration20261123051527_token_clients,
  Migration20261123055035_connection_accounts,
  Migration20261123055654_failed_deliveries,
  Migration20261123084940_delivery_settings,
  Migration20261123084958_vendor_commands,
  Migration20261123085134_tools,
  Migration20261123085635_model_budgets,
  Migration20261123090821_webhook_handshake,
  Migration20261123091600_model_contents,
  Migration20261123092234_handshake_endpoint,
  Migration20261123091005_vendor_reports,
  Migration20261123085444_causal_chains,
  Migration20261123085034_webhook_operations,
  Migration20261123113250_payments,
  Migration20261123113600_webhook_replays,
  Migration20261127231214_list_times,
  Migration20261128070048_foreign_json,
  Migration20261128073406_left_out_tools,
  Migration20261128190000_refused_deliveries,
  Migration20261128190100_webhook_presets,
  Migration20261128184500_awaited_material,
];
