import { DomainError } from "@factory/runtime/errors/domain-error";
import type { ArrivedDelivery } from "../arrived-deliveries/arrived-delivery.js";
import type { Candidate, CandidateSet, Claim, Registration } from "../inbound-candidates/candidate.js";
import { isOpen, type OpenSecret, type OpenSecrets } from "../inbound-candidates/open-secrets.js";
import { KeysUnavailable, verifyJws } from "../inbound-signatures/detached-jws.js";
import type { KeySets } from "../inbound-signatures/key-sets.js";
import type { HmacScheme, JwsScheme, KeyedScheme, SignatureScheme } from "../inbound-signatures/signature-scheme.js";
import { prepareSignature, type SignatureTest } from "../inbound-signatures/verify-signature.js";
import { type AccountHolders, claimsOfCandidates, matchesOfVendorKey, type Verify } from "./vendor-key-match.js";

/** The tenant whose secret or vendor key has verified a delivery, and the resource that holds the secret. */
export interface Match extends Registration {
  readonly subscriptionId: string | null;
  readonly connectionId: string | null;
  readonly subscriptionProject: string | null;
  /** The kind of key that verified: a secret of the tenant, or a public key of the vendor. */
  readonly provedBy: "Secret" | "VendorKey";
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

/** At most so many secrets are tried for one delivery. A candidate in a grace period has several. */
const maxSecrets = 256;

interface Tried {
  readonly verified: readonly Candidate[];
  /** Whether all secrets were tried. */
  readonly isWhole: boolean;
  /** Whether a secret could not be opened. */
  readonly isSealed: boolean;
}

/** The header of a detached JWS beside the body of the specification. */
const specifiedJwsHeader = "x-jws-signature";

/** Finds the tenant of a delivery by the secret or the vendor's key that verifies its signature. */
export class SignatureVerifier {
  readonly #secrets: Pick<OpenSecrets, "of">;
  readonly #keySets: Pick<KeySets, "of">;
  readonly #holders: AccountHolders;
  readonly #clock: () => Date;

  constructor(
    {
      secrets,
      keySets,
      holders,
    }: { secrets: Pick<OpenSecrets, "of">; keySets: Pick<KeySets, "of">; holders: AccountHolders },
    clock: () => Date,
  ) {
    this.#secrets = secrets;
    this.#keySets = keySets;
    this.#holders = holders;
    this.#clock = clock;
  }

  /**
   * The matches, at most one for each tenant. Throws UNAVAILABLE when the keys of a vendor cannot be read, or nothing
   * has verified and a secret cannot be opened.
   */
  async verify(delivery: ArrivedDelivery, set: CandidateSet): Promise<Match[]> {
    const { verified, isWhole, isSealed } = await this.#bySecret(delivery, set.candidates);
    const isKey = (candidate: Candidate): boolean => schemeOf(delivery, candidate).kind === "ecdsa";
    const matches: Match[] = verified
      .filter((candidate) => !isKey(candidate))
      .map((candidate) => ({ ...candidate, provedBy: "Secret" }));
    const byKey = [
      ...(await this.#byStoredKey(delivery, { ...set, isWhole: set.isWhole && isWhole }, verified.filter(isKey))),
      ...(await this.#byKeySet(delivery, set)),
    ];
    for (const claim of byKey) matches.push({ ...claim, provedBy: "VendorKey" });
    if (isSealed && matches.length === 0) throw notNow("A secret cannot be opened now. Send the delivery again.");
    const tenants = new Map<string, Match>();
    for (const match of matches) if (!tenants.has(match.tenant.uuid)) tenants.set(match.tenant.uuid, match);
    return [...tenants.values()];
  }

  /**
   * Tries the current secret of each candidate, then those in their grace period in turns, so that the rotations of one
   * tenant displace no secret of another. It goes on after a match, so that the time does not tell which one it was.
   */
  async #bySecret(delivery: ArrivedDelivery, candidates: readonly Candidate[]): Promise<Tried> {
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
    const known = await this.#secrets.of(testable.map(({ candidate }) => candidate));
    const secrets = known.map((own) => own.filter(isOpen));
    const isSealed = known.some((own) => !own.every(isOpen));
    const nowMs = now.getTime();
    const trials = testable.flatMap(({ candidate, test }, place) => {
      const takesPublic = schemeOf(delivery, candidate).kind === "ecdsa";
      const own = (secrets[place] ?? []).filter(({ isPublic }) => takesPublic || !isPublic);
      return own.sort(currentFirst).map((secret, turn) => ({ ...secret, turn, candidate, test }));
    });
    const verified = trials
      .sort((one, other) => one.turn - other.turn)
      .slice(0, maxSecrets)
      .filter(({ text, test, usableUntil }) => test(text) && usableUntil > nowMs)
      .map(({ candidate }) => candidate);
    return { verified, isSealed, isWhole: !isSealed && trials.length <= maxSecrets };
  }

  /** Public keys that tenants have stored. Any tenant may store the key of another, so that it proves the vendor only. */
  async #byStoredKey(
    delivery: ArrivedDelivery,
    set: CandidateSet,
    verified: readonly Candidate[],
  ): Promise<readonly Claim[]> {
    if (verified.length === 0) return [];
    const ofTenants = new Map(claimsOfCandidates(set, verified).map((claim) => [claim.tenant.uuid, claim]));
    const isOfKind = ({ driver }: Claim): boolean => driver.webhook?.scheme.kind === "ecdsa";
    // A holder whose secret is not among the candidates, for example while it is suspended, counts as well.
    const keep = async (claims: readonly Claim[]): Promise<readonly Claim[]> => {
      const known = claims.map((claim) => ofTenants.get(claim.tenant.uuid));
      if (known.every((claim) => claim === undefined)) return [];
      return claims.flatMap((claim, place) => {
        const found = known[place];
        return found ? [{ ...found, takesPart: claim.takesPart }] : isOfKind(claim) ? [claim] : [];
      });
    };
    return matchesOfVendorKey(delivery, { ...set, claims: [...ofTenants.values()] }, this.#holders, keep);
  }

  async #byKeySet(delivery: ArrivedDelivery, set: CandidateSet): Promise<readonly Claim[]> {
    const claims = set.claims.filter((claim) => {
      const scheme = jwsSchemeOf(delivery, claim);
      return scheme !== undefined && delivery.message.headers.has(scheme.header);
    });
    if (claims.length === 0) return [];
    const verify: Verify = (asked) => this.#verifiedByKeySet(delivery, asked);
    return matchesOfVendorKey(delivery, { ...set, claims }, this.#holders, verify);
  }

  /** The tenants whose key set verifies. Where one does, those whose key set cannot be read count too. */
  async #verifiedByKeySet(delivery: ArrivedDelivery, claims: readonly Claim[]): Promise<readonly Claim[]> {
    const now = this.#clock();
    const outcomes = await Promise.allSettled(
      claims.map(async (claim) => {
        const scheme = jwsSchemeOf(delivery, claim);
        if (!scheme) return "invalid";
        const keys = this.#keySets.of(claim.tenant.tenantId, scheme.jwksUrl);
        return verifyJws(scheme, delivery.message, keys, now);
      }),
    );
    const isValid = (outcome: (typeof outcomes)[number] | undefined): boolean =>
      outcome?.status === "fulfilled" && outcome.value === "valid";
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (!outcomes.some(isValid)) {
      if (failed) throw unreadableKeys(failed.reason);
      return [];
    }
    return claims.filter((_, place) => isValid(outcomes[place]) || outcomes[place]?.status === "rejected");
  }
}

const isCurrent = ({ usableUntil }: OpenSecret): boolean => usableUntil === Number.POSITIVE_INFINITY;
const currentFirst = (one: OpenSecret, other: OpenSecret): number => Number(isCurrent(other)) - Number(isCurrent(one));

function unreadableKeys(error: unknown): unknown {
  if (!(error instanceof KeysUnavailable)) return error;
  return notNow("The key set of the vendor cannot be read now. Send the delivery again.");
}

const notNow = (detail: string) => new DomainError("UNAVAILABLE", { detail, retryAfterSeconds: 30 });

function schemeOf({ form }: ArrivedDelivery, { driver }: Registration): SignatureScheme {
  return form === "Specified" ? specifiedScheme : (driver.webhook?.scheme ?? specifiedScheme);
}

function jwsSchemeOf({ form }: ArrivedDelivery, { driver }: Registration): JwsScheme | undefined {
  const scheme = driver.webhook?.scheme;
  if (scheme?.kind !== "jws") return undefined;
  return form === "Specified" ? { ...scheme, header: specifiedJwsHeader } : scheme;
}
