import { mailAddressKey } from "@factory/runtime/internet-names/mail-address";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { RefusalSink } from "@factory/runtime/messages/refusal";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { recordSignIn, signInOperation } from "../../../people/users/record-sign-in.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";

interface SignInRecordParts {
  readonly database: Database;
  readonly logger: Logger;
  /** Takes failed sign-ins, with the e-mail address that was entered. */
  readonly refusals: RefusalSink;
}

/** A sign-in that failed. */
interface FailedSignIn {
  readonly clientId: string;
  /** The address that was entered; undefined for a sign-in without a name. */
  readonly username: string | undefined;
  /** The tenant whose log gets the failure, if it is known. */
  readonly tenant: Tenant | undefined;
  readonly userId: string | undefined;
  readonly cause: Cause;
}

/** Records sign-ins for the audit log and as events. */
export class SignInRecords {
  readonly #parts: SignInRecordParts;
  readonly #recording = new Set<Promise<void>>();

  constructor(parts: SignInRecordParts) {
    this.#parts = parts;
  }

  /**
   * The person has proven everything that was asked. Throws `signInFailed` if the user, as it was read before the
   * proofs were checked, has got a new password or was disabled meanwhile.
   */
  async succeeded(
    { tenant, userId, signInVersion }: { tenant: Tenant; userId: string; signInVersion: number },
    { clientId, cause }: { clientId: string; cause: Cause },
  ): Promise<void> {
    const isStored = await this.#parts.database.transaction(tenant, { ...cause, actorId: userId }, (transaction) =>
      recordSignIn(transaction, { userId, signInVersion, clientId }),
    );
    if (isStored) return;
    this.failed({ clientId, username: undefined, tenant, userId, cause });
    throw signInFailed();
  }

  /** Returns at once. */
  failed({ clientId, username, tenant, userId, cause }: FailedSignIn): void {
    this.#parts.refusals.note({
      ...{ operation: signInOperation, code: "UNAUTHENTICATED", status: 401 },
      // in the form by which a deleted person's records are found
      ...(username === undefined ? {} : { email: mailAddressKey(username) }),
      ...{ tenantId: tenant?.tenantId, clientId, trace: cause.trace, origin: cause.origin },
      subject: userId === undefined ? undefined : `users/${userId}`,
    });
    if (tenant) this.#recordFailure(tenant, { clientId, userId: userId ?? null, cause });
  }

  /** Resolves when all `LoginFailed` events so far are stored. Called at a stop. */
  async settled(): Promise<void> {
    await Promise.all(this.#recording);
  }

  /** The answer does not wait for this: the time would tell a known tenant from an unknown one. */
  #recordFailure(
    tenant: Tenant,
    { clientId, userId, cause }: { clientId: string; userId: string | null; cause: Cause },
  ): void {
    const { tenantId } = tenant;
    const { database, logger } = this.#parts;
    const recording = database
      .transaction(tenant, cause, async ({ record }) => {
        record({ type: "LoginFailed", subject: `clients/${clientId}`, data: { tenantId, clientId, userId } });
      })
      .catch((error: unknown) => logger.warn({ err: error }, "a failed sign-in was not recorded"))
      .finally(() => this.#recording.delete(recording));
    this.#recording.add(recording);
  }
}

/** The one answer to every wrong user name or password. */
export function signInFailed(): OAuthError {
  return new OAuthError("UNAUTHENTICATED", "invalid_grant", "The user name or the password is wrong.", {
    audited: true,
  });
}
