// Written by `npm run merge-migrations`.

export const foreignKeys = [
  `alter table integration.credential_versions add constraint credential_versions_credential_id_fk
    foreign key (tenant_id, credential_id)
    references integration.credentials (tenant_id, credential_id)
    on delete cascade deferrable initially deferred`,
  `alter table integration.webhook_subscriptions add constraint webhook_subscriptions_credential_id_fk
    foreign key (tenant_id, credential_id)
    references integration.credentials (tenant_id, credential_id)
    deferrable initially deferred`,
  `alter table integration.webhook_messages add constraint webhook_messages_subscription_id_fk
    foreign key (tenant_id, subscription_id)
    references integration.webhook_subscriptions (tenant_id, subscription_id)
    deferrable initially deferred`,
  `alter table integration.webhook_attempts add constraint webhook_attempts_message_id_fk
    foreign key (tenant_id, message_id)
    references integration.webhook_messages (tenant_id, message_id)
    on delete cascade deferrable initially deferred`,
  `alter table integration.webhook_subscriptions add constraint webhook_subscriptions_provider_id_fk
    foreign key (tenant_id, provider_id)
    references integration.providers (tenant_id, provider_id)
    deferrable initially deferred`,
  `alter table integration.connections add constraint connections_provider_id_fk
    foreign key (tenant_id, provider_id)
    references integration.providers (tenant_id, provider_id)
    deferrable initially deferred`,
  `alter table integration.connections add constraint connections_credential_id_fk
    foreign key (tenant_id, credential_id)
    references integration.credentials (tenant_id, credential_id)
    deferrable initially deferred`,
  `alter table integration.connections add constraint connections_webhook_credential_id_fk
    foreign key (tenant_id, webhook_credential_id)
    references integration.credentials (tenant_id, credential_id)
    deferrable initially deferred`,
  `alter table integration.connection_authorizations add constraint connection_authorizations_connection_id_fk
    foreign key (tenant_id, connection_id)
    references integration.connections (tenant_id, connection_id)
    on delete cascade deferrable initially deferred`,
];
