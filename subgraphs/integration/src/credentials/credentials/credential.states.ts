import { DomainError } from "@factory/runtime/errors/domain-error";

export const credentialStates = {
  Active: { next: ["Rotating", "Expired", "Revoked"] },
  Rotating: { next: ["Active", "RotationFailed", "Expired", "Revoked"] },
  RotationFailed: { next: ["Rotating", "Active", "Revoked"] },
  Expired: { next: ["Rotating", "Revoked"] },
  Revoked: { next: [] },
} as const;

export type CredentialState = keyof typeof credentialStates;

const credentialVersionStates = {
  AwaitingMaterial: { next: ["Pending", "Failed"] },
  Pending: { next: ["Current", "Failed"] },
  Current: { next: ["Previous", "Retired"] },
  Previous: { next: ["Retired", "Current"] },
  Retired: { next: [] },
  Failed: { next: [] },
} as const;

export type CredentialVersionState = keyof typeof credentialVersionStates;

/** The states in which the current version may be used. It stays in use during a rotation and after a failed one. */
export const usableStates: readonly CredentialState[] = ["Active", "Rotating", "RotationFailed"];

/** Throws INVALID_STATE when the credential cannot change to this state. */
export function requireMove({ status, name }: { status: CredentialState; name: string }, to: CredentialState): void {
  const allowedStates = statesBefore(to);
  if (!allowedStates.includes(status))
    throw new DomainError("INVALID_STATE", {
      detail: `The credential "${name}" is ${status}. It can become ${to} only from ${allowedStates.join(", ")}.`,
      currentState: status,
      allowed: allowedStates,
    });
}

function statesBefore(state: CredentialState): CredentialState[] {
  const states = Object.keys(credentialStates) as CredentialState[];
  return states.filter((from) => credentialStates[from].next.some((next) => next === state));
}

export const credentialKinds = [
  "WebhookSigning",
  "ApiKey",
  "Basic",
  "BearerToken",
  "SshKey",
  "OAuth2Client",
  "JwtBearer",
  "HmacSignature",
  "MutualTls",
  "VendorWebhookSecret",
  "Custom",
] as const;
export type CredentialKind = (typeof credentialKinds)[number];

/** The kinds that can verify a vendor's deliveries. */
export const verifyingKinds: readonly CredentialKind[] = ["WebhookSigning", "VendorWebhookSecret", "HmacSignature"];

export const rotationReasons = [
  "ScheduledRotation",
  "ManualRotation",
  "ExpiryApproaching",
  "CompromiseSuspected",
  "OwnerChanged",
  "ProviderRequested",
] as const;
/** Why a credential is rotated. */
export type RotationReason = (typeof rotationReasons)[number];

/** How long a replaced version stays in use when nothing else is said. */
export const defaultGraceSeconds = 24 * 60 * 60;
