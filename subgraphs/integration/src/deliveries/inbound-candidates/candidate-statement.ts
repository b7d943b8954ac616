// tables: providers, webhook_subscriptions, connections, credentials, credential_versions

/** At most so many secrets are tried for one tenant, and for one delivery without a hint. */
const maxPerTenant = 8;
export const maxCandidates = 256;

/** The condition for providers that take deliveries. */
const takesDeliveries = "provider.status in ('Registered', 'Deprecated')";

const provider = `select provider.tenant_id, provider.provider_id, provider.key, provider.preset,
    provider.driver::text as driver, provider.registered_at
  from providers provider where provider.key = $1 and ${takesDeliveries}`;

/** The states in which a connection's secret verifies. A vendor may tell that it needs a new authorization. */
const takesPart = "connection.status in ('Active', 'AuthorizationRequired')";

/** An outbound subscription whose secret serves both directions has the project of the events that it sends. */
const ownProject = "case subscription.direction when 'Inbound' then subscription.project_id end";

/**
 * The resources that hold a secret for deliveries to a provider. Rank 0 was made for deliveries; rank 1 is an outbound
 * subscription's secret, which serves both directions.
 */
const holders = (subscriptions: string, connections: string) => `
  select provider.*, subscription.credential_id, subscription.subscription_id, null::uuid as connection_id,
    ${ownProject} as project_id, case subscription.direction when 'Inbound' then 0 else 1 end as rank,
    subscription.created_at as made_at
  from (${provider}) provider join webhook_subscriptions subscription using (tenant_id)
  where subscription.status = 'Active' and subscription.credential_id is not null and ${subscriptions}
    and (subscription.direction = 'Outbound' or subscription.provider_id = provider.provider_id)
  union all
  select provider.*, connection.webhook_credential_id, null, connection.connection_id, null, 0, connection.established_at
  from (${provider}) provider join connections connection using (tenant_id, provider_id)
  where ${takesPart} and connection.webhook_credential_id is not null and ${connections}`;

const hasAccount = `exists (select from connections connection where connection.tenant_id = provider.tenant_id
  and connection.provider_id = provider.provider_id and ${takesPart} and connection.external_account_id = $2)`;

const choiceFrom = (source: string) => `
  select tenant_id, provider_id, key, preset, driver, credential_id, subscription_id, connection_id, project_id
  from (select once.*, row_number() over (partition by tenant_id order by rank, made_at desc, credential_id) as place
    from (select distinct on (tenant_id, credential_id) found.* from (${source}) found
      order by tenant_id, credential_id, rank, made_at desc) once) placed
  where place <= ${maxPerTenant} order by rank, made_at desc, tenant_id, credential_id limit ${maxCandidates}`;

/**
 * The holders of secrets for a provider's key, across tenants: those made for deliveries first, then the newest. With a
 * hint: the holders in one subscription, one connection, or the tenants with an account at the vendor.
 */
export const candidateStatements = {
  none: choiceFrom(holders("true", "true")),
  subscription: choiceFrom(holders("subscription.subscription_id = $2", "false")),
  connection: choiceFrom(holders("false", "connection.connection_id = $2")),
  account: choiceFrom(holders(hasAccount, hasAccount)),
} as const;

const columns =
  "provider.tenant_id, provider.provider_id, provider.key, provider.preset, provider.driver::text as driver";

const anyProvider = `select ${columns}, null::uuid as subscription_id, null::uuid as connection_id, null as account,
    null as project_id, ${takesDeliveries} as takes_part
  from providers provider where provider.key = $1 and provider.status <> 'Retired'
  order by provider.registered_at, provider.tenant_id limit ${maxCandidates}`;

/**
 * The tenants to which a delivery may belong that the vendor has signed with its own key: the one with the hint's
 * resource, also without a secret, or all that registered the provider's key.
 */
export const claimStatements = {
  none: anyProvider,
  subscription: `select ${columns}, subscription.subscription_id, null::uuid as connection_id, null as account,
      ${ownProject} as project_id, true as takes_part
    from (${provider}) provider join webhook_subscriptions subscription using (tenant_id)
    where subscription.status = 'Active' and subscription.subscription_id = $2
      and (subscription.direction = 'Outbound' or subscription.provider_id = provider.provider_id)`,
  connection: `select ${columns}, null::uuid as subscription_id, connection.connection_id,
      connection.external_account_id as account, null as project_id, true as takes_part
    from (${provider}) provider join connections connection using (tenant_id, provider_id)
    where ${takesPart} and connection.connection_id = $2`,
} as const;

/**
 * The tenants with an account at the vendor, or one such tenant. A connection that is suspended or disabled counts:
 * while it is, its deliveries must go to nobody else.
 */
export const holdersOfAccount = `select ${columns}, null::uuid as subscription_id, null::uuid as connection_id,
    $2::text as account, null as project_id, bool_or(${takesDeliveries} and ${takesPart}) as takes_part
  from providers provider join connections connection using (tenant_id, provider_id)
  where provider.key = $1 and connection.external_account_id = $2 and connection.status <> 'Deleted'
    and ($3::uuid is null or provider.tenant_id = $3)
  group by provider.tenant_id, provider.provider_id
  limit ${maxCandidates}`;

/** Which of these keys some tenants have registered. */
export const keysOfTenants =
  "select distinct key from providers where tenant_id = any($1::uuid[]) and key = any($2::text[])";

/** The credential versions that verify: the current one, and the previous one in its grace period. */
export const verifyingVersions = `
  select version.tenant_id, version.credential_id, version.version, version.stage, version.grace_ends_at,
    version.key_id, version.wrapped_key, version.ciphertext
  from unnest($1::uuid[], $2::uuid[]) wanted(tenant_id, credential_id)
  join credentials credential using (tenant_id, credential_id)
  join credential_versions version using (tenant_id, credential_id)
  where credential.status in ('Active', 'Rotating', 'RotationFailed') and version.wrapped_key is not null
    and (version.stage = 'Current' or (version.stage = 'Previous' and version.grace_ends_at > $3))
  order by version.version desc`;
