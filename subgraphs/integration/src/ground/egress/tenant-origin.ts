/** One origin that a tenant calls. Tenants with the same receiver share neither slots nor breakers. */
export interface TenantOrigin {
  /** uuid */
  readonly tenant: string;
  /** Scheme, host and port. */
  readonly origin: string;
}

/** UUIDs and origins contain no space, so different origins have different keys. */
export const originKey = ({ tenant, origin }: TenantOrigin): string => `${tenant} ${origin}`;
