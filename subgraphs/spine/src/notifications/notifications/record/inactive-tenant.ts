/** The pause before a tenant that is suspended is looked at again. */
const pauseMs = 15 * 60_000;

/** The time at which work for a tenant that is suspended is looked at again. It waits, since the tenant may be resumed. */
export const inactiveTenantAgainAt = (): Date => new Date(Date.now() + pauseMs);
