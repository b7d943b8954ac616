import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { FailureCounts } from "@factory/runtime/platform-limits/failure-counts";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { Mailer } from "../../ground/mail/mailer.js";
import { GuessLimiter } from "../../ground/request-limits/guess-limiter.js";
import type { TenantSettings } from "../../settings/configuration/tenant-settings.js";
import { lockUser } from "../users/find-users.js";
import { newPasswordHash, whenNotBusy } from "../users/new-password.js";
import { passwordMatches } from "../users/password-hash.js";
import { replacePassword } from "../users/replace-password.js";
import { changedMailKind } from "./changes/changed-mail.js";

interface OwnPasswordParts {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly settings: TenantSettings;
  readonly rateLimitFactor?: number | undefined;
  /** The failures in all processes. Absent: this is the only one. */
  readonly failures?: FailureCounts | undefined;
}

/** A person who changes the own password. */
interface PasswordChange {
  readonly tenant: Tenant;
  /** `usr_…` */
  readonly userId: string;
  readonly clientId: string;
  readonly cause: Cause;
  readonly currentPassword: string;
  readonly newPassword: string;
}

const maxFailures = 10;

/** Lets people change their own password. */
export class OwnPassword {
  readonly #parts: OwnPasswordParts;
  readonly #failures: GuessLimiter<{ userId: string }>;

  constructor(parts: OwnPasswordParts) {
    this.#parts = parts;
    const limit = maxFailures * (parts.rateLimitFactor ?? 1);
    this.#failures = new GuessLimiter("own password", ({ userId }) => [{ key: userId, limit }], parts.failures);
  }

  /** The smallest number of characters in a password in the tenant. */
  minLength(tenant: Tenant): Promise<number> {
    return this.#parts.settings.get(tenant, "signIn.passwordMinLength");
  }

  /**
   * Replaces the password. All the person's sessions and tokens end. Throws PASSWORD_WRONG if the current password is
   * wrong, PASSWORD_REFUSED if the new one may not be used, and RATE_LIMITED after ten wrong ones. Returns the new
   * version for the person's sign-ins.
   */
  async change({ tenant, userId, clientId, cause, currentPassword, newPassword }: PasswordChange): Promise<number> {
    const { database, mailer } = this.#parts;
    const account = await database.transaction(tenant, cause, async (transaction) => {
      const { email, passwordHash } = await lockUser(transaction, userId);
      return { email, passwordHash };
    });
    await this.#requireCurrent(userId, currentPassword, account.passwordHash);
    const passwordHash = await newPasswordHash({
      password: newPassword,
      email: account.email,
      minLength: await this.minLength(tenant),
      pointer: "/input/newPassword",
    });
    return database.transaction(tenant, { ...cause, actorId: userId }, async (transaction) => {
      const user = await lockUser(transaction, userId);
      // another request has changed it meanwhile, or the user is not active any more
      if (user.passwordHash !== account.passwordHash || user.status !== "Active") throw wrongPassword();
      const caller = { principal: userId, principaltype: "User", clientid: clientId } as const;
      transaction.audit({ operation: "changeOwnPassword", ...caller });
      await replacePassword(transaction, user, { passwordHash, proof: "CurrentPassword" });
      await mailer.queue(transaction, changedMailKind, userId);
      return user.signInVersion;
    });
  }

  async #requireCurrent(userId: string, password: string, phc: string): Promise<void> {
    const attempt = { userId };
    const admission = await this.#failures.begin(attempt);
    if ("retryAfterSeconds" in admission)
      throw new DomainError("RATE_LIMITED", { detail: "Too many wrong passwords. Try again later.", ...admission });
    let isRight: boolean | undefined;
    try {
      isRight = await whenNotBusy(passwordMatches(password, phc));
    } finally {
      await admission.end(isRight === false);
    }
    if (!isRight) throw wrongPassword();
  }
}

const wrongPassword = () =>
  new DomainError("PASSWORD_WRONG", {
    detail: "The current password is wrong.",
    errors: [{ pointer: "/input/currentPassword", code: "FORMAT", detail: "Must be the current password." }],
  });
