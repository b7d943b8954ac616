import { DomainError } from "@factory/runtime/errors/domain-error";
import { limitKeyPrefix } from "@factory/schema/tenant-limits";

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

/** NOT_FOUND, the same for a malformed key and for one that the tenant has not set. */
export const unknownEntry = () =>
  new DomainError("NOT_FOUND", { detail: "The tenant has no configuration entry with this key." });
