import { DomainError } from "@factory/runtime/errors/domain-error";
import { hashPassword, PasswordsBusyError } from "./password-hash.js";
import { requireLongPassword, requireUncommonPassword } from "./password-rules.js";

/** A password that a person has chosen. */
export interface NewPassword {
  readonly password: string;
  readonly email: string;
  /** The smallest number of characters in the tenant (`signIn.passwordMinLength`). */
  readonly minLength: number;
  readonly pointer: string;
}

/** The hash of a new password. Throws PASSWORD_REFUSED, or UNAVAILABLE while too many passwords wait. */
export async function newPasswordHash({ password, email, minLength, pointer }: NewPassword): Promise<string> {
  requireLongPassword(password, minLength, pointer);
  requireUncommonPassword(password, email, pointer);
  return whenNotBusy(hashPassword(password));
}

/** Too many waiting passwords become UNAVAILABLE. */
export async function whenNotBusy<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PasswordsBusyError)
      throw new DomainError("UNAVAILABLE", {
        detail: "Too many passwords are being processed. Try again in a moment.",
        retryAfterSeconds: 1,
      });
    throw error;
  }
}
