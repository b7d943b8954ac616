import type { AuthenticationLevel } from "./authentication-levels.js";

export const severities = ["Low", "Moderate", "High", "Critical"] as const;

export const publisherTypes = ["Agent", "User", "Service"] as const;
/** The principal type that publishes. */
export type PublisherType = (typeof publisherTypes)[number];

/** Every known setting's value type. */
export interface TenantSettingValues {
  /** `true`: every principal type; `false`: none. */
  readonly "governance.publish.requiresApproval": boolean | readonly PublisherType[];
  readonly "governance.publish.scanSeverity": (typeof severities)[number] | null;
  readonly "governance.approve.acr": AuthenticationLevel | null;
  readonly "governance.allowPlatformClients": boolean;
  readonly "execution.requirePublished": boolean;
  readonly "execution.requireCompatible": boolean;
  readonly "scaffold.repositoryBase": string | null;
  readonly "compatibility.unknownLibraries": "advisory" | "violation";
  readonly "signIn.passwordMinLength": number;
  readonly "signIn.sessionHours": number;
  readonly "signIn.allowedEmailDomains": readonly string[];
  readonly "signIn.secondFactor": "optional" | "required";
  readonly "retention.auditLogDays": number;
  readonly "retention.webhookDays": number | null;
  readonly "webhooks.eventNames": Readonly<Record<string, string>>;
  readonly "webhooks.unmappedDeliveries": "publish" | "ignore";
  readonly "models.contentDays": number | null;
  readonly "models.budgets": Readonly<Record<string, ModelBudget>>;
  readonly "notifications.locale": string;
  readonly "notifications.perRecipientHour": { readonly Email?: number; readonly Sms?: number };
}

/** The requests and tokens that a tenant may use on a model in a period. */
export interface ModelBudget {
  readonly requests?: number;
  /** Prompts and answers together. */
  readonly tokens?: number;
  readonly perSeconds: number;
}

/** A known setting's key, which is its configuration entry's key. */
export type SettingKey = keyof TenantSettingValues;

/** The principal types that publish only after an approval. */
export const publishersWithApproval = (value: boolean | readonly PublisherType[]): readonly PublisherType[] =>
  typeof value === "boolean" ? (value ? publisherTypes : []) : value;

/** How many severities keep a version from being published. */
export const refusedSeverities = (lowest: (typeof severities)[number] | null): number =>
  lowest === null ? 0 : severities.length - severities.indexOf(lowest);
