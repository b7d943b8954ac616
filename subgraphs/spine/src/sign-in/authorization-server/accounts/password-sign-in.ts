import { mailAddressKey } from "@factory/runtime/internet-names/mail-address";
import type { Cause } from "@factory/runtime/messages/envelope";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { LoginAttempt } from "../../../ground/request-limits/failure-limiter.js";
import type { GuessLimiter } from "../../../ground/request-limits/guess-limiter.js";
import { PasswordsBusyError, passwordLength, passwordMatches } from "../../../people/users/password-hash.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";
import { type SignInRecords, signInFailed } from "./sign-in-records.js";
import { accountError, type UserAccount, type UserAccounts } from "./user-accounts.js";

interface PasswordAttempt {
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
  readonly records: SignInRecords;
  readonly failures: GuessLimiter<LoginAttempt>;
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
  readonly #records: SignInRecords;
  readonly #failures: GuessLimiter<LoginAttempt>;

  constructor({ accounts, records, failures }: PasswordSignInParts) {
    this.#accounts = accounts;
    this.#records = records;
    this.#failures = failures;
  }

  /**
   * The user with this name and password. Every wrong name or password gets the same `OAuthError` after the same work, so
   * that answers do not tell which users exist. The caller records the sign-in when nothing more is to be proven.
   */
  async signIn(attempt: PasswordAttempt): Promise<UserAccount> {
    const { client, username, address, cause } = attempt;
    const tenant = onlyTenant(client);
    const limitKey = { tenant: tenant?.tenantId ?? "", username: mailAddressKey(username), address };
    const admission = await this.#failures.begin(limitKey);
    if ("retryAfterSeconds" in admission)
      throw new OAuthError("RATE_LIMITED", "rate_limited", "Too many sign-ins failed. Try again later.", {
        status: 429,
        ...admission,
      });
    let outcome: Outcome | undefined;
    try {
      outcome = await this.#prove(attempt);
    } finally {
      // an outage says nothing about the password, so it does not count as a failure
      await admission.end(outcome !== undefined && outcome.proven === undefined);
    }
    const { named, proven } = outcome;
    if (proven) return proven;
    const { clientId } = client;
    this.#records.failed({ clientId, username, tenant: named?.tenant ?? tenant, userId: named?.userId, cause });
    throw signInFailed();
  }

  async #prove({ client, username, password, tenant }: PasswordAttempt): Promise<Outcome> {
    const wellFormed = username.length <= maxUsernameLength && password.length <= passwordLength.max;
    const candidates = wellFormed ? await this.#accounts.byEmail(username, client, tenant || undefined) : [];
    const [only, ...others] = candidates;
    const account = others.length === 0 ? only : undefined;
    const matches = await refusedWhenBusy(passwordMatches(wellFormed ? password : "", account?.passwordHash));
    if (!account) return {};
    // read again: the user may have been disabled while the password waited to be hashed
    const now = matches ? await this.#accounts.byId(account.userId) : undefined;
    // the password that was checked may have been replaced meanwhile
    const isCurrent = now !== undefined && now.passwordHash === account.passwordHash;
    return isCurrent && !accountError(now, client) ? { named: account, proven: now } : { named: account };
  }
}

/** The tenant whose users the client serves; undefined for a client that serves all tenants. */
export function onlyTenant({ tenantId, firstParty }: RegisteredClient): Tenant | undefined {
  return tenantId === platformTenantId && firstParty ? undefined : tenantWithId(tenantId);
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
