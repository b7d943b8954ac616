// Written by `npm run merge-migrations`.

import type { MergedMigration } from "@factory/runtime/unit-of-work/merged-migration";
import { commands } from "./commands.js";
import { connections } from "./connections.js";
import { credentials } from "./credentials.js";
import { deliveries } from "./deliveries.js";
import { events } from "./events.js";
import { foreignKeys } from "./foreign-keys.js";
import { ground } from "./ground.js";
import { modelsAndTools } from "./models-and-tools.js";
import { providers } from "./providers.js";
import { runs } from "./runs.js";
import { runtime } from "./runtime.js";
import { webhooks } from "./webhooks.js";

/** The tables of the integration as the replaced migrations make them. */
export const mergedMigration: MergedMigration = {
  name: "Merged20261128190100",
  replaces: [
    "Migration20261121071553_first",
    "Migration20261121075519_retention",
    "Migration20261121110030_api_clients",
    "Migration20261121123322_provider_status_reason",
    "Migration20261121161410_outbox_wake",
    "Migration20261122072416_outbox_status",
    "Migration20261122073232_webhook_dispatch",
    "Migration20261122103117_list_orders",
    "Migration20261122103322_credential_rewrapping",
    "Migration20261122104308_foreign_keys",
    "Migration20261122104750_event_sequences",
    "Migration20261122182846_tenant_projections",
    "Migration20261123011848_inbound_deliveries",
    "Migration20261123011913_inbound_subscription_keys",
    "Migration20261123012019_provider_drivers",
    "Migration20261123011936_credential_life",
    "Migration20261123012105_runs",
    "Migration20261123012547_connections",
    "Migration20261123012605_connection_keys",
    "Migration20261123013112_generated_secrets",
    "Migration20261123013435_connection_tokens",
    "Migration20261123014309_connection_health",
    "Migration20261123014201_inbound_lookup",
    "Migration20261123015445_connection_authorizations",
    "Migration20261123015528_connection_authorization_keys",
    "Migration20261123021917_routine_runs",
    "Migration20261123030825_vendor_keys",
    "Migration20261123050911_provider_hosts",
    "Migration20261123052116_connection_retention",
    "Migration20261123051527_token_clients",
    "Migration20261123055035_connection_accounts",
    "Migration20261123055654_failed_deliveries",
    "Migration20261123084940_delivery_settings",
    "Migration20261123084958_vendor_commands",
    "Migration20261123085134_tools",
    "Migration20261123085635_model_budgets",
    "Migration20261123090821_webhook_handshake",
    "Migration20261123091600_model_contents",
    "Migration20261123092234_handshake_endpoint",
    "Migration20261123091005_vendor_reports",
    "Migration20261123085444_causal_chains",
    "Migration20261123085034_webhook_operations",
    "Migration20261123113250_payments",
    "Migration20261123113600_webhook_replays",
    "Migration20261127231214_list_times",
    "Migration20261128070048_foreign_json",
    "Migration20261128073406_left_out_tools",
    "Migration20261128190000_refused_deliveries",
    "Migration20261128190100_webhook_presets",
    "Migration20261128184500_awaited_material",
  ],
  statements: [
    ...credentials,
    ...events,
    ...runtime,
    ...providers,
    ...webhooks,
    ...ground,
    ...deliveries,
    ...runs,
    ...connections,
    ...commands,
    ...modelsAndTools,
    ...foreignKeys,
  ],
};
