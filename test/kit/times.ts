/** The time one hour ago, as ISO 8601. */
export const anHourAgo = (): string => new Date(Date.now() - 3_600_000).toISOString();
