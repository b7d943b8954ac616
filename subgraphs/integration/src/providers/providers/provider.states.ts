/** The states that a provider can have. Deprecated and Disabled can be reversed; Retired cannot. */
export const providerStates = {
  Registered: { next: ["Deprecated", "Disabled"] },
  Deprecated: { next: ["Registered", "Disabled", "Retired"] },
  Disabled: { next: ["Registered", "Retired"] },
  Retired: { next: [] },
} as const;

export type ProviderState = keyof typeof providerStates;

/** The states from which a provider may change to this one. */
export function statesBefore(state: ProviderState): ProviderState[] {
  const states = Object.keys(providerStates) as ProviderState[];
  return states.filter((from) => providerStates[from].next.some((next) => next === state));
}

/** The first eight values are from the specification. */
export const providerCategories = [
  "SourceControl",
  "Cloud",
  "Communication",
  "Payment",
  "CustomerRelationship",
  "Support",
  "Model",
  "Tool",
  "Commerce",
  "Identity",
  "Storage",
  "Analytics",
  "Other",
] as const;
export type ProviderCategory = (typeof providerCategories)[number];

/** A connection's `authMode` says which OAuth2 flow is used. */
export const authModels = [
  "OAuth2",
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
export type AuthModel = (typeof authModels)[number];
