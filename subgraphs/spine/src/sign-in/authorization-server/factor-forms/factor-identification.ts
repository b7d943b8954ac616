import type { Cause } from "@factory/runtime/messages/envelope";
import type { AddressAttempt, FailureLimiter } from "../../../ground/request-limits/failure-limiter.js";
import type { FactorVisit, Identification } from "../../second-factors/kinds/factor-kind.js";
import { onlyTenant } from "../accounts/password-sign-in.js";
import { type SignInRecords, signInFailed } from "../accounts/sign-in-records.js";
import { accountError, type UserAccount, type UserAccounts } from "../accounts/user-accounts.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";

interface FactorIdentificationParts {
  readonly accounts: UserAccounts;
  readonly records: SignInRecords;
  readonly failures: FailureLimiter<AddressAttempt>;
}

/** The answer from somebody who has not said who it is. */
interface IdentifyingAnswer {
  readonly client: RegisteredClient;
  readonly visit: FactorVisit;
  readonly form: URLSearchParams;
  readonly address: string;
  readonly cause: Cause;
}

/** A person who has signed in without a password. `methods`: RFC 8176. */
interface IdentifiedUser {
  readonly user: UserAccount;
  readonly methods: readonly string[];
}

/** Signs people in by a factor that tells who they are. Limits each address's failures, and records them. */
export class FactorIdentification {
  readonly #parts: FactorIdentificationParts;

  constructor(parts: FactorIdentificationParts) {
    this.#parts = parts;
  }

  /**
   * Every answer that is not accepted gets the same `OAuthError`: an unknown factor, a wrong proof, and a user who may
   * not sign in at this client.
   */
  async signIn(identification: Identification, answer: IdentifyingAnswer): Promise<IdentifiedUser> {
    const { accounts, records, failures } = this.#parts;
    const { client, visit, form, address, cause } = answer;
    const retryAfterSeconds = failures.blockedFor({ address });
    if (retryAfterSeconds !== undefined)
      throw new OAuthError("RATE_LIMITED", "rate_limited", "Too many sign-ins failed. Try again later.", {
        status: 429,
        retryAfterSeconds,
      });
    const end = failures.begin({ address });
    let account: UserAccount | undefined;
    let methods: readonly string[] | undefined;
    let hasFailed = false;
    try {
      const person = await identification.identify(visit, form, cause);
      account = person && (await accounts.byId(person.userId));
      if (person && account && !accountError(account, client)) methods = person.amr;
      hasFailed = methods === undefined;
    } finally {
      // an outage says nothing about the answer
      end(hasFailed);
    }
    if (account && methods) return { user: account, methods };
    const { clientId } = client;
    records.failed({
      clientId,
      username: undefined,
      tenant: account?.tenant ?? onlyTenant(client),
      userId: account?.userId,
      cause,
    });
    throw signInFailed();
  }
}
