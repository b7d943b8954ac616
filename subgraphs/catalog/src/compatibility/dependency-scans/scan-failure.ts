import { DomainError } from "@factory/runtime/errors/domain-error";

/**
 * The refusal for a scan whose template cannot be read or rendered. `reason` is the code that an execution would have.
 */
export function scanFailed(reason: string, detail: string): DomainError {
  return new DomainError("DEPENDENCY_SCAN_FAILED", { detail, reason });
}
