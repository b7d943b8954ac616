import { EnvironmentError } from "../environment/read-environment.js";
import { systemErrorCode } from "../errors/system-error.js";

/** SQLSTATE `insufficient_privilege`. */
export const insufficientPrivilege = "42501";

/**
 * The problem of a role that may not change what another role has made, such as the superuser of an earlier start.
 * Undefined for another error.
 */
export function missingRight(error: unknown, adminUrl: string): EnvironmentError | undefined {
  if (systemErrorCode(error) !== insufficientPrivilege) return undefined;
  const user = decodeURIComponent(new URL(adminUrl).username);
  const { message } = error as Error;
  const role = /^permission denied to grant role "([^"]+)"/.exec(message)?.[1];
  const way =
    role === undefined
      ? "Use the role that made the installation, or a superuser."
      : `Let a superuser run: grant "${role}" to "${user}" with admin option. Or use the role that made the installation.`;
  return new EnvironmentError(`The role "${user}" of DATABASE_URL lacks a right: ${message}. ${way}`, { cause: error });
}
