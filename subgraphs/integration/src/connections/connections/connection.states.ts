/** The states that a connection can have. A Disabled one becomes Active again only after a probe that passes. */
export const connectionStates = {
  Active: { next: ["Suspended", "AuthorizationRequired", "Disabled", "Deleted"] },
  Suspended: { next: ["Active", "Disabled", "Deleted"] },
  AuthorizationRequired: { next: ["Active", "Deleted"] },
  Disabled: { next: ["Active", "Deleted"] },
  Deleted: { next: [] },
} as const;

export type ConnectionState = keyof typeof connectionStates;

export const connectionHealths = ["Healthy", "Degraded", "Unhealthy", "Unknown"] as const;
export type ConnectionHealth = (typeof connectionHealths)[number];

/** The causes that are counted by day until a connection moves. Days are UTC dates such as 2026-11-23. */
export interface FailureDays {
  /** Failures while Unhealthy; those during a vendor's outage count once a day. */
  readonly strikes?: number;
  readonly lastOutageOn?: string | null;
  /** On how many different days the vendor gave no access token. */
  readonly refreshFailedDays?: number;
  readonly refreshFailedOn?: string | null;
}

/** The ways to authenticate at a vendor. Only some of them can be used for calls; the others are stored. */
export const authModes = [
  "OAuth2ClientCredentials",
  "OAuth2AuthorizationCode",
  "ApiKey",
  "Basic",
  "BearerToken",
  "OAuth1",
  "JwtBearer",
  "TwoStep",
  "AppInstallation",
  "AwsSigV4",
  "MutualTls",
  "HmacSignature",
  "None",
  "Custom",
] as const;
export type AuthMode = (typeof authModes)[number];
