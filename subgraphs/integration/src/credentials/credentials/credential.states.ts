import { DomainError } from "@factory/runtime/errors/domain-error";
import type {
  CredentialKind,
  CredentialStatus,
  CredentialVersionStage,
} from "@factory/schema/vocabularies/credentials";

export const credentialStates = {
  Active: { next: ["Rotating", "Expired", "Revoked"] },
  Rotating: { next: ["Active", "RotationFailed", "Expired", "Revoked"] },
  RotationFailed: { next: ["Rotating", "Active", "Revoked"] },
  Expired: { next: ["Rotating", "Revoked"] },
  Revoked: { next: [] },
} as const satisfies Record<CredentialStatus, object>;

export type CredentialState = CredentialStatus;

export type CredentialVersionState = CredentialVersionStage;

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

/** The kinds that can verify a vendor's deliveries. */
export const verifyingKinds: readonly CredentialKind[] = ["WebhookSigning", "VendorWebhookSecret", "HmacSignature"];

/** How long a replaced version stays in use when nothing else is said. */
export const defaultGraceSeconds = 24 * 60 * 60;
