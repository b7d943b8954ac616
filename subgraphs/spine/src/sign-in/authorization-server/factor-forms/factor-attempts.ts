import type { FactorAttempt } from "../../../ground/request-limits/failure-limiter.js";
import type { GuessLimiter } from "../../../ground/request-limits/guess-limiter.js";
import {
  type FactorKind,
  type FactorPerson,
  type FactorProblem,
  type FactorProof,
  type FactorVisit,
  isProof,
} from "../../second-factors/kinds/factor-kind.js";
import type { FactorLocks } from "../../second-factors/locks/factor-locks.js";
import type { SignInRecords } from "../accounts/sign-in-records.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";

interface FactorAttemptParts {
  readonly records: SignInRecords;
  readonly failures: GuessLimiter<FactorAttempt>;
  readonly locks: FactorLocks;
}

/** An answer to a second factor's question. */
interface FactorAnswer {
  readonly person: FactorPerson;
  readonly visit: FactorVisit;
  readonly form: URLSearchParams;
  readonly address: string;
}

/**
 * Checks second factors at a sign-in. Limits each person's wrong answers, records them, and counts wrong codes for the
 * lock.
 */
export class FactorAttempts {
  readonly #parts: FactorAttemptParts;

  constructor(parts: FactorAttemptParts) {
    this.#parts = parts;
  }

  /** Throws an `OAuthError` with RATE_LIMITED after too many wrong answers. The answer is then not even checked. */
  async verify(kind: FactorKind, { person, visit, form, address }: FactorAnswer): Promise<FactorProof | FactorProblem> {
    const { records, failures, locks } = this.#parts;
    const verify = () => kind.verify(person, visit, form);
    const { userId, clientId, tenant, email: username, cause } = person;
    const attempt = { userId, address };
    const admission = await failures.begin(attempt);
    if ("retryAfterSeconds" in admission)
      throw new OAuthError("RATE_LIMITED", "rate_limited", "Too many second factors were wrong. Try again later.", {
        status: 429,
        ...admission,
      });
    let answer: FactorProof | FactorProblem | undefined;
    try {
      answer = await (kind.isCode ? locks.check(person, verify) : verify());
    } finally {
      // an outage says nothing about the answer
      await admission.end(answer !== undefined && !isProof(answer));
    }
    if (!isProof(answer)) records.failed({ clientId, username, tenant, userId, cause });
    return answer;
  }
}
