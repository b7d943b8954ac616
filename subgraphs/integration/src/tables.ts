import { Credential } from "./credentials/credential.entity.js";
import { CredentialVersion } from "./credentials/credential-version.entity.js";
import { EventLogEntry } from "./event-log/event-log-entry.entity.js";
import { EventLogHead } from "./event-log/event-log-head.entity.js";
import { EventLogHorizon } from "./event-log/event-log-horizon.entity.js";
import { Migration20261121071553_first } from "./migrations/Migration20261121071553_first.js";
import { Migration20261121075519_retention } from "./migrations/Migration20261121075519_retention.js";
import { Migration20261121110030_api_clients } from "./migrations/Migration20261121110030_api_clients.js";
import { Migration20261121123322_provider_status_reason } from "./migrations/Migration20261121123322_provider_status_reason.js";
import { Migration20261121161410_outbox_wake } from "./migrations/Migration20261121161410_outbox_wake.js";
import { Migration20261122072416_outbox_status } from "./migrations/Migration20261122072416_outbox_status.js";
import { Migration20261122073232_webhook_dispatch } from "./migrations/Migration20261122073232_webhook_dispatch.js";
import { Migration20261122103117_list_orders } from "./migrations/Migration20261122103117_list_orders.js";
import { Migration20261122103322_credential_rewrapping } from "./migrations/Migration20261122103322_credential_rewrapping.js";
import { Migration20261122104308_foreign_keys } from "./migrations/Migration20261122104308_foreign_keys.js";
import { Migration20261122104750_event_sequences } from "./migrations/Migration20261122104750_event_sequences.js";
import { Provider } from "./providers/provider.entity.js";
import { integrationReferences } from "./references.js";
import { WebhookBreakerRow } from "./webhook-dispatch/webhook-breaker.entity.js";
import { WebhookAttempt } from "./webhook-messages/webhook-attempt.entity.js";
import { WebhookMessage } from "./webhook-messages/webhook-message.entity.js";
import { WebhookSubscription } from "./webhook-subscriptions/webhook-subscription.entity.js";

export const integrationTables = {
  references: integrationReferences,
  entities: [
    Provider,
    Credential,
    CredentialVersion,
    WebhookSubscription,
    WebhookMessage,
    WebhookAttempt,
    WebhookBreakerRow,
    EventLogEntry,
    EventLogHead,
    EventLogHorizon,
  ],
  migrations: [
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
  ],
};
