export const credentialStates = {
  Active: { next: ["Rotating", "Expired", "Revoked"] },
  Rotating: { next: ["Active", "RotationFailed", "Revoked"] },
  RotationFailed: { next: ["Rotating", "Active", "Revoked"] },
  Expired: { next: ["Rotating", "Revoked"] },
  Revoked: { next: [] },
} as const;

export type CredentialState = keyof typeof credentialStates;

export const credentialVersionStates = {
  Pending: { next: ["Current", "Failed"] },
  Current: { next: ["Previous", "Retired"] },
  Previous: { next: ["Retired", "Current"] },
  Retired: { next: [] },
  Failed: { next: [] },
} as const;

export type CredentialVersionState = keyof typeof credentialVersionStates;

export const credentialKinds = ["WebhookSigning", "ApiKey", "Basic", "BearerToken", "SshKey", "Custom"] as const;
export type CredentialKind = (typeof credentialKinds)[number];
