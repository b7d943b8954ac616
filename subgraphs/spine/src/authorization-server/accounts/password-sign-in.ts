import type { Cause } from "@factory/runtime/messages/envelope";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { FailureLimiter, LoginAttempt } from "../../request-limits/failure-limiter.js";
import { emailKey } from "../../users/email-key.js";
import { PasswordsBusyError, passwordLength, passwordMatches } from "../../users/password-hash.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";
import { accountError, type UserAccount, type UserAccounts } from "./user-accounts.js";

export interface PasswordAttempt {
  client: RegisteredClient;
  username: string;
  password: string;
  /** Slug or id; needed where the client serves several tenants and the user is in more than one. */
  tenant: string | undefined;
  address: string;
  cause: Cause;
}

interface Outcome {
  /** Whom the name stands for. */
  claimed?: UserAccount;
  proven?: UserAccount;
}

const longestName = 254;

/** Somebody says who he is and proves it by a password: at the token endpoint, or on the sign-in page. */
export class PasswordSignIn {
  readonly #accounts: UserAccounts;
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #failures: FailureLimiter<LoginAttempt>;
  readonly #telling = new Set<Promise<void>>();

  constructor(accounts: UserAccounts, database: Database, logger: Logger, failures: FailureLimiter<LoginAttempt>) {
    this.#accounts = accounts;
    this.#database = database;
    this.#logger = logger;
    this.#failures = failures;
  }

  /** One refusal for whatever is wrong, after the same work, so that nobody learns who is a user. */
  async signIn(attempt: PasswordAttempt): Promise<UserAccount> {
    const { client, username, address, cause } = attempt;
    const tenant = onlyTenant(client);
    const limited = { tenant: tenant?.tenantId ?? "", username: emailKey(username), address };
    const retryAfterSeconds = this.#failures.blockedFor(limited);
    if (retryAfterSeconds !== undefined)
      throw new OAuthError("RATE_LIMITED", "rate_limited", "Too many failed attempts.", {
        status: 429,
        retryAfterSeconds,
      });
    const ended = this.#failures.begin(limited);
    let outcome: Outcome | undefined;
    try {
      outcome = await this.#prove(attempt);
    } finally {
      // an outage says nothing about the password
      ended(outcome !== undefined && outcome.proven === undefined);
    }
    const { claimed, proven } = outcome;
    if (proven) {
      await this.#accounts.signedIn(proven);
      return proven;
    }
    const known = claimed?.tenant ?? tenant;
    if (known) this.#tell(known, { client, userId: claimed?.userId ?? null, cause });
    throw signInFailed();
  }

  /** Events under way; for a stop. */
  async settled(): Promise<void> {
    await Promise.all(this.#telling);
  }

  async #prove({ client, username, password, tenant }: PasswordAttempt): Promise<Outcome> {
    const sane = username.length <= longestName && password.length <= passwordLength.max;
    const found = sane ? await this.#accounts.byEmail(username, client, tenant || undefined) : [];
    const [only, ...others] = found;
    const claimed = others.length === 0 ? only : undefined;
    const matches = await inTime(passwordMatches(sane ? password : "", claimed?.passwordHash));
    if (!claimed) return {};
    // again: he may have been disabled while the password waited for its turn
    const now = matches ? await this.#accounts.byId(claimed.userId) : undefined;
    return now && !accountError(now, client) ? { claimed, proven: now } : { claimed };
  }

  /** Not waited for: the time it takes would tell a known tenant from an unknown one. */
  #tell(tenant: Tenant, { client, userId, cause }: { client: RegisteredClient; userId: string | null; cause: Cause }) {
    const { tenantId } = tenant;
    const telling = this.#database
      .transaction(tenant, cause, async ({ record }) => {
        const data = { tenantId, clientId: client.clientId, userId };
        record({ type: "LoginFailed", subject: `clients/${client.clientId}`, data });
      })
      .catch((error: unknown) => this.#logger.warn({ err: error }, "a failed sign-in was not recorded"))
      .finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
  }
}

function onlyTenant({ tenantId, firstParty }: RegisteredClient): Tenant | undefined {
  return tenantId === platformTenantId && firstParty ? undefined : tenantWithId(tenantId);
}

export function signInFailed(): OAuthError {
  return new OAuthError("UNAUTHENTICATED", "invalid_grant", "The user name or the password is wrong.");
}

async function inTime(verdict: Promise<boolean>): Promise<boolean> {
  try {
    return await verdict;
  } catch (error) {
    if (!(error instanceof PasswordsBusyError)) throw error;
    throw new OAuthError("UNAVAILABLE", "temporarily_unavailable", "Too many sign-ins at once.", {
      status: 503,
      retryAfterSeconds: 1,
    });
  }
}
