import { DomainError } from "@factory/runtime/errors/domain-error";
import { mailAddressKey } from "@factory/runtime/internet-names/mail-address";
import { hashPassword, PasswordsBusyError } from "./password-hash.js";

/** A password that a person has chosen. */
interface NewPassword {
  readonly password: string;
  readonly email: string;
  /** The smallest number of characters in the tenant (`signIn.passwordMinLength`). */
  readonly minLength: number;
  readonly pointer: string;
}

/** A new password's hash. Throws PASSWORD_REFUSED, or UNAVAILABLE while too many passwords wait. */
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

/** The most frequent entries in the public lists with leaked passwords. */
const commonPasswords = new Set(
  `12345678 123456789 1234567890 12345678910 password password1 password12 password123 passw0rd p@ssw0rd p@ssword
   qwertyui qwertyuiop qwerty12 qwerty123 1q2w3e4r 1q2w3e4r5t 1qaz2wsx q1w2e3r4 zaq12wsx asdfghjk asdfghjkl
   iloveyou sunshine princess football baseball superman trustno1 whatever computer michelle jennifer
   11111111 00000000 88888888 87654321 987654321 123123123 12341234 11223344 abcd1234 abc12345 a1b2c3d4
   letmein1 welcome1 welcome123 changeme changeme1 admin123 administrator secret123 test1234 starwars`.split(/\s+/),
);

/** Throws PASSWORD_REFUSED for a password with fewer characters (code points) than the tenant requires. */
function requireLongPassword(password: string, minLength: number, pointer: string): void {
  if (Array.from(password).length >= minLength) return;
  const detail = `Must have at least ${minLength} characters.`;
  throw new DomainError("PASSWORD_REFUSED", {
    detail: `The password is too short for this tenant. Choose one with at least ${minLength} characters.`,
    errors: [{ pointer, code: "TOO_SHORT", detail }],
  });
}

/**
 * Throws PASSWORD_REFUSED for a common password, the address or its mailbox name, and fewer than three different
 * characters. There are no composition rules (NIST SP 800-63B section 5.1.1.2).
 */
export function requireUncommonPassword(password: string, email: string, pointer: string): void {
  const key = password.normalize("NFKC").toLowerCase();
  const address = mailAddressKey(email);
  const mailbox = address.slice(0, address.lastIndexOf("@"));
  const isAddress = [address, mailbox].includes(mailAddressKey(key));
  const weak = commonPasswords.has(key) || isAddress || new Set(key).size < 3;
  if (weak)
    throw new DomainError("PASSWORD_REFUSED", {
      detail: "The password is too easy to guess. Choose a password that is not common and not the e-mail address.",
      errors: [{ pointer, code: "FORMAT", detail: "Must not be a common password or the e-mail address." }],
    });
}
