import type { TableReferences } from "@factory/runtime/db/table-references";

/** Every column that names a row, and whether PostgreSQL holds both together. `test/contract` asks for a word on each. */
export const integrationReferences: TableReferences = {
  "credential_versions.credential_id": {
    to: "credentials.credential_id",
    onDelete: "cascade",
    why: "A sealed secret is bound to its credential and can be opened for it alone.",
  },
  "credentials.current_version": {
    to: null,
    why: "The other way round there is a key; two that name each other would have to be deleted together.",
  },
  "webhook_subscriptions.credential_id": {
    to: "credentials.credential_id",
    onDelete: "no action",
    why: "Nothing is sent unsigned.",
  },
  "webhook_messages.subscription_id": {
    to: "webhook_subscriptions.subscription_id",
    onDelete: "no action",
    why: "Says where the message goes; who deletes a subscription deletes its messages in batches.",
  },
  "webhook_messages.event_id": { to: null, why: "The event log forgets after 7 days; the message keeps the event." },
  "webhook_attempts.message_id": {
    to: "webhook_messages.message_id",
    onDelete: "cascade",
    why: "Attempts at one message, shown and forgotten with it.",
  },
  "providers.api_client_id": { to: null, why: "An id of its own." },
  "event_log.event_id": { to: null, why: "Rows of other schemas, kept for themselves." },
};
