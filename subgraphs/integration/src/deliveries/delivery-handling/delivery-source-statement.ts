// tables: webhook_subscriptions, connections

/** Whether a subscription is Inbound, in whatever state. */
export const inboundSubscription = {
  name: "webhook_subscription_is_inbound",
  text: `select true as found from webhook_subscriptions
    where tenant_id = $1 and subscription_id = $2 and direction = 'Inbound'`,
};

/**
 * The connections about which a connection's secret or account may tell: itself, those with the same secret or the same
 * account, and all for the provider where an Inbound subscription has the same secret.
 */
export const connectionsOfSource = {
  name: "connections_of_source",
  text: `select connection.connection_id
    from connections source join connections connection using (tenant_id, provider_id)
    where source.tenant_id = $1 and source.connection_id = $2
      and (connection.connection_id = $2
        or connection.external_account_id = source.external_account_id
        or connection.webhook_credential_id = source.webhook_credential_id
        or exists (select from webhook_subscriptions subscription
          where subscription.tenant_id = $1 and subscription.provider_id = source.provider_id
            and subscription.credential_id = source.webhook_credential_id
            and subscription.direction = 'Inbound' and subscription.status = 'Active'))
    order by connection.connection_id <> $2, connection.status = 'Deleted', connection.connection_id limit 1000`,
};
