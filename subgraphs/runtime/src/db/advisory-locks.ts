/**
 * The platform's numbered advisory locks. PostgreSQL identifies a lock by its number only, so two purposes with the
 * same number would block each other. Do not change a released number: processes from two releases may run at once.
 */
export const advisoryLocks = {
  /** One process creates roles and schemas. */
  provisioning: 4_000_001,
  /** One process migrates a schema. The second key is the schema. */
  migration: 4_000_002,
  /** One process relays an outbox. The second key is the schema. */
  outboxRelay: 4_000_003,
  /** Bus positions become visible in their order. */
  busPublication: 4_000_004,
  /** One process consumes for a consumer group. The second key is the group. */
  busConsumer: 4_000_005,
  /** Integration: positions in the event log become visible in their order. */
  eventLog: 4_000_006,
  /** One process creates the SQL functions by which requests reach jobs. The second key is the schema. */
  jobFunctions: 4_000_007,
  /** One process creates the tables beside pg-boss's own. */
  jobTables: 4_000_008,
  /** One process makes or renews the certificate authority for gRPC. */
  grpcAuthority: 4_000_009,
  /** Spine: one process makes or rotates signing keys. */
  signingKeys: 4_000_010,
  /** Spine: one process makes a key that signs audit-log seals. */
  auditKeys: 4_000_030,
  /** Spine: one process makes the platform administrator's client. */
  platformClient: 4_000_011,
  /** Spine: one approval request at a time for an agent's client. The second key is the client. */
  approvalRequest: 4_000_015,
  /** Catalog: one import at a time for a package. The second key is the tenant and the package. */
  packageImport: 4_000_020,
  /** Catalog: one import at a time for security advisories. The second key is the tenant. */
  securityAdvisoryImport: 4_000_021,
} as const;

/** Advisory locks whose number is a text's 64-bit hash (`hashtextextended`). Each text begins differently. */
export const hashedLocks = {
  /** Spine: shared by callers who act, exclusive for those who end the tenant's principals. */
  actingPrincipals: (tenantId: string) => `hands of ${tenantId}`,
  /** Spine: one change at a time to the tenant's open invitations. */
  invitations: (tenantId: string) => `invitations of ${tenantId}`,
  /** Spine: one change at a time to the tenant's configuration. */
  configuration: (tenantId: string) => `configuration of ${tenantId}`,
  /** Spine: one transaction at a time counts and takes seats for the tenant's users. */
  seats: (tenantId: string) => `seats of ${tenantId}`,
  /** Spine: one new broadcast at a time for the tenant, because their number is limited. */
  broadcasts: (tenantId: string) => `broadcasts of ${tenantId}`,
  /** Spine: one change at a time to the tenant's notification templates. */
  notificationTemplates: (tenantId: string) => `notification templates of ${tenantId}`,
  /** Integration: one new webhook subscription at a time for the tenant, if their number is limited. */
  webhookSubscriptions: (tenantId: string) => `webhook subscriptions of ${tenantId}`,
  /** Integration: one new webhook replay at a time for the tenant. */
  webhookReplays: (tenantId: string) => `webhook replays of ${tenantId}`,
  /** Integration: one new connection at a time for the tenant. */
  connections: (tenantId: string) => `connections of ${tenantId}`,
  /** Spine: one change at a time to what the tenant's report runs take. */
  reportRuns: (tenantId: string) => `report runs of ${tenantId}`,
  /** Spine: one revocation at a time for a token. The text is the `jti`. */
  token: (tokenId: string) => tokenId,
} as const;
