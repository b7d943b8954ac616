import { DomainError } from "@factory/runtime/errors/domain-error";
import { KeysUnavailable, verifyJws } from "../inbound-signatures/detached-jws.js";
import type { KeySets } from "../inbound-signatures/key-sets.js";
import type { HmacScheme, JwsScheme, KeyedScheme, SignatureScheme } from "../inbound-signatures/signature-scheme.js";
import { prepareSignature, type SignatureTest } from "../inbound-signatures/verify-signature.js";
import type { ArrivedDelivery } from "./arrived-delivery.js";
import type { Candidate, CandidateSet, Registration } from "./candidate.js";
import type { OpenSecrets } from "./open-secrets.js";

/** The tenant whose secret or vendor key has verified a delivery, and the resource that holds the secret. */
export interface Match extends Registration {
  readonly subscriptionId: string | null;
  readonly connectionId: string | null;
}

/** The signature that the specification shows: the HMAC of the body in the header X-Hub-Signature-256. */
const specifiedScheme: HmacScheme = {
  kind: "hmac",
  algorithm: "sha256",
  header: "x-hub-signature-256",
  encoding: "hex",
  prefix: "sha256=",
  signedContent: "{body}",
};

/** The header of a detached JWS beside the body of the specification. */
const specifiedJwsHeader = "x-jws-signature";

/** More key sets are read only for a delivery that names one resource. */
const maxKeySets = 8;

/** Finds the tenant of a delivery by the secret or the vendor's key that verifies its signature. */
export class SignatureVerifier {
  readonly #secrets: OpenSecrets;
  readonly #keySets: KeySets;
  readonly #clock: () => Date;

  constructor(secrets: OpenSecrets, keySets: KeySets, clock: () => Date) {
    this.#secrets = secrets;
    this.#keySets = keySets;
    this.#clock = clock;
  }

  /** The matches, at most one for each tenant. Throws UNAVAILABLE when the keys of a vendor cannot be read. */
  async verify(delivery: ArrivedDelivery, set: CandidateSet): Promise<Match[]> {
    const bySecret = await this.#bySecret(delivery, set.candidates);
    const byKey = await this.#byKey(delivery, set.registrations);
    const tenants = new Map<string, Match>();
    for (const match of [...bySecret, ...byKey])
      if (!tenants.has(match.tenant.uuid)) tenants.set(match.tenant.uuid, match);
    return [...tenants.values()];
  }

  /** Tries every secret, also after a match, so that the time does not tell which one it was. */
  async #bySecret(delivery: ArrivedDelivery, candidates: readonly Candidate[]): Promise<Match[]> {
    const now = this.#clock();
    const tests = new Map<string, SignatureTest | undefined>();
    const testOf = (candidate: Candidate): SignatureTest | undefined => {
      const scheme = schemeOf(delivery, candidate);
      if (scheme.kind === "jws") return undefined;
      const name = scheme === specifiedScheme ? "" : JSON.stringify(scheme);
      if (!tests.has(name)) tests.set(name, prepareSignature(scheme as KeyedScheme, delivery.message, now));
      return tests.get(name);
    };
    const testable = candidates.flatMap((candidate) => {
      const test = testOf(candidate);
      return test ? [{ candidate, test }] : [];
    });
    const secrets = await this.#secrets.of(testable.map(({ candidate }) => candidate));
    const nowMs = now.getTime();
    const matches: Match[] = [];
    for (const [place, { candidate, test }] of testable.entries())
      for (const { text, usableUntil } of secrets[place] ?? [])
        if (test(text) && usableUntil > nowMs) matches.push(candidate);
    return matches;
  }

  async #byKey(delivery: ArrivedDelivery, registrations: readonly Registration[]): Promise<Match[]> {
    const found = registrations.flatMap((registration) => {
      const scheme = jwsSchemeOf(delivery, registration);
      return scheme && delivery.message.headers.has(scheme.header) ? [{ registration, scheme }] : [];
    });
    if (found.length === 0 || found.length > maxKeySets) return [];
    const now = this.#clock();
    const outcomes = await Promise.allSettled(
      found.map(({ registration, scheme }) =>
        verifyJws(scheme, delivery.message, this.#keySets.of(registration.tenant.tenantId, scheme.jwksUrl), now),
      ),
    );
    const matches = found.filter((_, place) => {
      const outcome = outcomes[place];
      return outcome?.status === "fulfilled" && outcome.value === "valid";
    });
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (matches.length === 0 && failed) throw unreadableKeys(failed.reason);
    return matches.map(({ registration }) => ({ subscriptionId: null, connectionId: null, ...registration }));
  }
}

function unreadableKeys(error: unknown): unknown {
  if (!(error instanceof KeysUnavailable)) return error;
  return new DomainError("UNAVAILABLE", {
    detail: "The key set of the vendor cannot be read now. Send the delivery again.",
    retryAfterSeconds: 30,
  });
}

function schemeOf({ form }: ArrivedDelivery, { driver }: Registration): SignatureScheme {
  return form === "Specified" ? specifiedScheme : (driver.webhook?.scheme ?? specifiedScheme);
}

function jwsSchemeOf({ form }: ArrivedDelivery, { driver }: Registration): JwsScheme | undefined {
  const scheme = driver.webhook?.scheme;
  if (scheme?.kind !== "jws") return undefined;
  return form === "Specified" ? { ...scheme, header: specifiedJwsHeader } : scheme;
}
