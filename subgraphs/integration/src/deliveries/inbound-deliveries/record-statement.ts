// tables: webhook_deliveries, connections

import { namedStatement } from "@factory/runtime/db/named-parameters";

/**
 * Inserts one tenant's deliveries, and returns their connections with their projects. The unique key refuses the whole
 * statement for an id that is known. A delivery whose account a connection has belongs to this connection. A delivery
 * that is not Accepted was handled by the caller.
 */
export const insertDeliveries = namedStatement(
  "webhook_deliveries_insert",
  `insert into webhook_deliveries (tenant_id, delivery_id, provider_id, provider_key, provider_delivery_id, event_name,
      normalized_event_type, body_sha256, key_id, wrapped_key, ciphertext, subscription_id, connection_id, run_id,
      trace_id, status, attempts, next_attempt_at, processed_at)
    select $tenant, delivery_id, provider_id, provider_key, provider_delivery_id, event_name, normalized_event_type,
      decode(body_sha256, 'hex'), key_id, decode(wrapped_key, 'base64'), decode(ciphertext, 'base64'), subscription_id,
      coalesce(connection_id, (select connection.connection_id from connections connection
        where connection.tenant_id = $tenant and connection.provider_id = delivery.provider_id
          and connection.external_account_id = delivery.account and connection.status <> 'Deleted' limit 1)),
      run_id, trace_id, status, case status when 'Accepted' then 0 else 1 end,
      case status when 'Accepted' then now() end, case when status <> 'Accepted' then now() end
    from unnest($ids::uuid[], $providers::uuid[], $providerKeys::text[], $providerDeliveries::text[],
        $eventNames::text[], $eventTypes::text[], $digests::text[], $keyIds::text[], $wrappedKeys::text[],
        $ciphertexts::text[], $subscriptions::uuid[], $connections::uuid[], $runs::uuid[], $traces::text[],
        $accounts::text[], $states::text[])
      as delivery(delivery_id, provider_id, provider_key, provider_delivery_id, event_name, normalized_event_type,
        body_sha256, key_id, wrapped_key, ciphertext, subscription_id, connection_id, run_id, trace_id, account, status)
    returning delivery_id, connection_id, (select connection.project_id from connections connection
      where connection.tenant_id = $tenant and connection.connection_id = webhook_deliveries.connection_id) as project_id`,
);

/** The tenant's deliveries with these ids from their providers. */
export const knownDeliveries = {
  name: "webhook_deliveries_known",
  text: `select delivery.provider_id, delivery.provider_delivery_id, delivery.delivery_id,
      delivery.normalized_event_type, encode(delivery.body_sha256, 'hex') as body_sha256
    from unnest($2::uuid[], $3::text[]) wanted(provider_id, provider_delivery_id)
    join webhook_deliveries delivery using (provider_id, provider_delivery_id) where delivery.tenant_id = $1`,
};

/** A failed delivery that the vendor sends again is due at once. */
export const retryFailed = {
  name: "webhook_deliveries_retry_failed",
  text: `update webhook_deliveries set next_attempt_at = now()
    where tenant_id = $1 and delivery_id = any($2::uuid[]) and status = 'Failed' and next_attempt_at > now()`,
};
