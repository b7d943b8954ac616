import type { Cause } from "@factory/runtime/messages/envelope";
import type { RefusalSink } from "@factory/runtime/messages/refusal";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { FailureLimiter, LoginAttempt } from "../../request-limits/failure-limiter.js";
import { emailKey } from "../../users/email-key.js";
import { PasswordsBusyError, passwordLength, passwordMatches } from "../../users/password-hash.js";
import { recordSignIn, signInOperation } from "../../users/record-sign-in.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";
import { accountError, type UserAccount, type UserAccounts } from "./user-accounts.js";

export interface PasswordAttempt {
  client: RegisteredClient;
  username: string;
  password: string;
  /** Slug or id. Needed if the client serves several tenants and the address belongs to users in more than one. */
  tenant: string | undefined;
  address: string;
  cause: Cause;
}

interface PasswordSignInParts {
  readonly accounts: UserAccounts;
  readonly database: Database;
  readonly logger: Logger;
  readonly failures: FailureLimiter<LoginAttempt>;
  /** Takes failed sign-ins, with the e-mail address that was entered. */
  readonly refusals: RefusalSink;
}

interface Outcome {
  /** The only user with this name. */
  named?: UserAccount;
  /** The user, if the password is right. */
  proven?: UserAccount;
}

const maxUsernameLength = 254;

/** Checks user names and passwords, for the password grant and for the sign-in page. Limits failures, and records them. */
export class PasswordSignIn {
  readonly #accounts: UserAccounts;
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #failures: FailureLimiter<LoginAttempt>;
  readonly #refusals: RefusalSink;
  readonly #recording = new Set<Promise<void>>();

  constructor({ accounts, database, logger, failures, refusals }: PasswordSignInParts) {
    this.#accounts = accounts;
    this.#database = database;
    this.#logger = logger;
    this.#failures = failures;
    this.#refusals = refusals;
  }

  /**
   * The user with this name and password. Every wrong name or password gets the same `OAuthError` after the same work, so
   * that answers do not tell which users exist.
   */
  async signIn(attempt: PasswordAttempt): Promise<UserAccount> {
    const { client, username, address, cause } = attempt;
    const tenant = onlyTenant(client);
    const limited = { tenant: tenant?.tenantId ?? "", username: emailKey(username), address };
    const retryAfterSeconds = this.#failures.blockedFor(limited);
    if (retryAfterSeconds !== undefined)
      throw new OAuthError("RATE_LIMITED", "rate_limited", "Too many sign-ins failed. Try again later.", {
        status: 429,
        retryAfterSeconds,
      });
    const end = this.#failures.begin(limited);
    let outcome: Outcome | undefined;
    try {
      outcome = await this.#prove(attempt);
    } finally {
      // an outage says nothing about the password, so it does not count as a failure
      end(outcome !== undefined && outcome.proven === undefined);
    }
    const { named, proven } = outcome;
    if (proven) {
      const signIn = { ...proven, clientId: client.clientId };
      await this.#database.transaction(proven.tenant, { ...cause, actorId: proven.userId }, (transaction) =>
        recordSignIn(transaction, signIn),
      );
      return proven;
    }
    const known = named?.tenant ?? tenant;
    this.#refusals.note({
      ...{ operation: signInOperation, code: "UNAUTHENTICATED", status: 401, email: username },
      ...{ tenantId: known?.tenantId, clientId: client.clientId, trace: cause.trace, origin: cause.origin },
      subject: named && `users/${named.userId}`,
    });
    if (known) this.#recordFailure(known, { client, userId: named?.userId ?? null, cause });
    throw signInFailed();
  }

  /** Resolves when all `LoginFailed` events so far are stored. Called at a stop. */
  async settled(): Promise<void> {
    await Promise.all(this.#recording);
  }

  async #prove({ client, username, password, tenant }: PasswordAttempt): Promise<Outcome> {
    const wellFormed = username.length <= maxUsernameLength && password.length <= passwordLength.max;
    const found = wellFormed ? await this.#accounts.byEmail(username, client, tenant || undefined) : [];
    const [only, ...others] = found;
    const named = others.length === 0 ? only : undefined;
    const matches = await refusedWhenBusy(passwordMatches(wellFormed ? password : "", named?.passwordHash));
    if (!named) return {};
    // read again: the user may have been disabled while the password waited to be hashed
    const now = matches ? await this.#accounts.byId(named.userId) : undefined;
    return now && !accountError(now, client) ? { named, proven: now } : { named };
  }

  /** The answer does not wait for this: the time would tell a known tenant from an unknown one. */
  #recordFailure(
    tenant: Tenant,
    { client, userId, cause }: { client: RegisteredClient; userId: string | null; cause: Cause },
  ) {
    const { tenantId } = tenant;
    const recording = this.#database
      .transaction(tenant, cause, async ({ record }) => {
        const data = { tenantId, clientId: client.clientId, userId };
        record({ type: "LoginFailed", subject: `clients/${client.clientId}`, data });
      })
      .catch((error: unknown) => this.#logger.warn({ err: error }, "a failed sign-in was not recorded"))
      .finally(() => this.#recording.delete(recording));
    this.#recording.add(recording);
  }
}

function onlyTenant({ tenantId, firstParty }: RegisteredClient): Tenant | undefined {
  return tenantId === platformTenantId && firstParty ? undefined : tenantWithId(tenantId);
}

/** The one answer to every wrong user name or password. */
export function signInFailed(): OAuthError {
  return new OAuthError("UNAUTHENTICATED", "invalid_grant", "The user name or the password is wrong.", {
    audited: true,
  });
}

/** Too many waiting passwords become a 503. */
async function refusedWhenBusy(verdict: Promise<boolean>): Promise<boolean> {
  try {
    return await verdict;
  } catch (error) {
    if (!(error instanceof PasswordsBusyError)) throw error;
    throw new OAuthError(
      "UNAVAILABLE",
      "temporarily_unavailable",
      "Too many sign-ins are waiting. Try again in a second.",
      {
        status: 503,
        retryAfterSeconds: 1,
      },
    );
  }
}
