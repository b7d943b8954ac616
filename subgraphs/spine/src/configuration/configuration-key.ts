import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Scope } from "@factory/schema/scopes";
import { limitKeyPrefix } from "@factory/schema/tenant-settings";

const governanceKeyPrefix = "governance.";
const signInKeyPrefix = "signIn.";
const approving: Scope = "governance.approve";
const keyPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** Throws VALIDATION_FAILED for a malformed key and CONFIGURATION_READ_ONLY for one that shows a limit. */
export function requireWritableKey(key: string): void {
  if (!keyPattern.test(key))
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The key is malformed. See errors.",
      errors: [
        {
          pointer: "/key",
          code: "FORMAT",
          detail: "Must be 1 to 128 letters, digits and . _ : - and begin with a letter or a digit.",
        },
      ],
    });
  if (key.startsWith(limitKeyPrefix))
    throw new DomainError("CONFIGURATION_READ_ONLY", {
      detail: `Keys that begin with ${limitKeyPrefix} show limits of the platform. Only a platform administrator changes them, by setTenantLimits.`,
    });
}

/**
 * Throws for a key that decides about approvals, unless the principal may approve: otherwise an agent could end the need
 * for an approval of its own requests. Agents do not change how people sign in either.
 */
export function requireGovernance({ principalType, actors = [], scopes }: Principal, key: string): void {
  const isGovernance = key.startsWith(governanceKeyPrefix);
  if (!isGovernance && !key.startsWith(signInKeyPrefix)) return;
  if (principalType === "Agent" || actors.length > 0)
    throw new DomainError("SELF_APPROVAL", {
      detail: `Agents may not change settings that begin with ${governanceKeyPrefix} or ${signInKeyPrefix}. Ask a user or service of the tenant to change it.`,
    });
  if (!isGovernance) return;
  if (!scopes.has(approving))
    throw new DomainError("INSUFFICIENT_SCOPE", {
      detail: `A change of settings that begin with ${governanceKeyPrefix} needs the scope ${approving}, too.`,
      requiredScopes: [approving],
    });
}

/** NOT_FOUND, the same for a malformed key and for one that the tenant has not set. */
export const unknownEntry = () =>
  new DomainError("NOT_FOUND", { detail: "The tenant has no configuration entry with this key." });
