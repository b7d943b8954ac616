/**
 * All numbered advisory locks of the platform. PostgreSQL identifies a lock by its number only, so two purposes with the
 * same number would block each other. Do not change a released number: processes of two releases may run at once.
 */
export const advisoryLocks = {
  /** One process creates roles and schemas. */
  provisioning: 4_000_001,
  /** One process migrates a schema. The second key is the schema. */
  migration: 4_000_002,
  /** One process relays an outbox. The second key is the schema. */
  outboxRelay: 4_000_003,
  /** Positions of the bus become visible in their order. */
  busPublication: 4_000_004,
  /** One process consumes for a consumer group. The second key is the group. */
  busConsumer: 4_000_005,
  /** Integration: positions of the event log become visible in their order. */
  eventLog: 4_000_006,
  /** One process creates the SQL functions by which requests reach jobs. The second key is the schema. */
  jobFunctions: 4_000_007,
  /** One process creates the tables beside those of pg-boss. */
  jobTables: 4_000_008,
  /** One process makes or renews the certificate authority of gRPC. */
  grpcAuthority: 4_000_009,
  /** Spine: one process makes or rotates signing keys. */
  signingKeys: 4_000_010,
  /** Spine: one process makes a key that signs seals of the audit log. */
  auditKeys: 4_000_030,
  /** Spine: one process makes the client of the platform's administrator. */
  platformClient: 4_000_011,
  /** Spine: one approval request of an agent's client at a time. The second key is the client. */
  approvalRequest: 4_000_015,
  /** Catalog: one import of a package at a time. The second key is the tenant and the package. */
  packageImport: 4_000_020,
  /** Catalog: one import of security advisories at a time. The second key is the tenant. */
  securityAdvisoryImport: 4_000_021,
} as const;

/** Advisory locks whose number is the 64-bit hash of a text (`hashtextextended`). Each text begins differently. */
export const hashedLocks = {
  /** Spine: shared by callers who act, exclusive for those who end principals of the tenant. */
  actingPrincipals: (tenantId: string) => `hands of ${tenantId}`,
  /** Spine: one change of the tenant's open invitations at a time. */
  invitations: (tenantId: string) => `invitations of ${tenantId}`,
  /** Spine: one change of the tenant's configuration at a time. */
  configuration: (tenantId: string) => `configuration of ${tenantId}`,
  /** Spine: one transaction at a time counts and takes seats of the tenant's users. */
  seats: (tenantId: string) => `seats of ${tenantId}`,
  /** Spine: one new broadcast of the tenant at a time, because their number is limited. */
  broadcasts: (tenantId: string) => `broadcasts of ${tenantId}`,
  /** Spine: one change of the tenant's notification templates at a time. */
  notificationTemplates: (tenantId: string) => `notification templates of ${tenantId}`,
  /** Integration: one new webhook subscription of the tenant at a time, if their number is limited. */
  webhookSubscriptions: (tenantId: string) => `webhook subscriptions of ${tenantId}`,
  /** Integration: one new replay of webhooks of the tenant at a time. */
  webhookReplays: (tenantId: string) => `webhook replays of ${tenantId}`,
  /** Integration: one new connection of the tenant at a time. */
  connections: (tenantId: string) => `connections of ${tenantId}`,
  /** Spine: one change of what the tenant's report runs take at a time. */
  reportRuns: (tenantId: string) => `report runs of ${tenantId}`,
  /** Spine: one revocation of a token at a time. The text is the `jti`. */
  token: (tokenId: string) => tokenId,
} as const;
