export const providerStates = {
  Registered: { next: ["Deprecated", "Disabled"], event: "ProviderRegistered" },
  Deprecated: { next: ["Registered", "Disabled", "Retired"], event: "ProviderDeprecated" },
  Disabled: { next: ["Registered", "Retired"], event: "ProviderDisabled" },
  Retired: { next: [], event: "ProviderRetired" },
} as const;

export type ProviderState = keyof typeof providerStates;

/** The first eight are the specification's. */
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

/** OAuth2 of a provider is refined by the `authMode` of its connections. */
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
