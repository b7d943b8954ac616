import { DomainError } from "@factory/runtime/errors/domain-error";
import { longWork, type PausableWork } from "@factory/runtime/threads/long-work";
import { KeysUnavailable, verifyJws } from "../../providers/inbound-signatures/detached-jws.js";
import type { KeySets } from "../../providers/inbound-signatures/key-sets.js";
import {
  type HmacScheme,
  hasPublicKeys,
  type JwsScheme,
  type KeyedScheme,
  type SignatureScheme,
  signatureHeader,
  takesPublicKeys,
} from "../../providers/inbound-signatures/signature-scheme.js";
import {
  type PreparedSignature,
  prepareSignature,
  prepareToken,
} from "../../providers/inbound-signatures/verify-signature.js";
import type { ArrivedDelivery } from "../arrived-deliveries/arrived-delivery.js";
import { ordinaryBytes } from "../arrived-deliveries/body-size.js";
import { tokenPlace } from "../arrived-deliveries/body-token.js";
import { senderOf } from "../arrived-deliveries/sender.js";
import { maxParsedBytes, tokensInBody } from "../inbound-candidates/body-tokens.js";
import type { Candidate, CandidateSet, Claim, Registration } from "../inbound-candidates/candidate.js";
import { isOpen, type OpenSecret, type OpenSecrets } from "../inbound-candidates/open-secrets.js";
import { type AccountHolders, claimsOfCandidates, matchesOfVendorKey, type Verify } from "./vendor-key-match.js";

/** The tenant whose secret or vendor key has verified a delivery, and the resource that holds the secret. */
export interface Match extends Registration {
  readonly subscriptionId: string | null;
  readonly connectionId: string | null;
  readonly subscriptionProject: string | null;
  /** The kind of key that verified: a tenant's secret, or a vendor's public key. */
  readonly provedBy: "Secret" | "VendorKey";
}

/** The signature that the specification shows: the body's HMAC in the header X-Hub-Signature-256. */
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

/** Why nothing has verified a delivery. */
export type SignatureRefusal = "SIGNATURE_MISSING" | "SIGNATURE_EXPIRED" | "SIGNATURE_INVALID" | "PAYLOAD_TOO_LARGE";

interface Verification {
  /** At most one for each tenant. */
  readonly matches: readonly Match[];
  /** The reason without a match. Only a signature that is right is called expired. */
  readonly refusal: SignatureRefusal;
}

/** A candidate whose secret has verified the delivery. */
interface Verified {
  readonly candidate: Candidate;
  /** By a public key, which proves the vendor only. */
  readonly byPublicKey: boolean;
}

interface Tried {
  readonly verified: readonly Verified[];
  /** Whether a secret has made the signature, whose time is not recent. */
  readonly isExpired: boolean;
  /** Whether all secrets were tried. */
  readonly isWhole: boolean;
  /** Whether a secret could not be opened. */
  readonly isSealed: boolean;
}

/** The header with a detached JWS beside the specification's body. */
const specifiedJwsHeader = "x-jws-signature";

/** Finds a delivery's tenant by the secret or the vendor's key that verifies its signature. */
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

  /** Throws UNAVAILABLE when a vendor's keys cannot be read, or nothing has verified and a secret cannot be opened. */
  async verify(delivery: ArrivedDelivery, set: CandidateSet): Promise<Verification> {
    const { verified, isWhole, isSealed, isExpired } = await this.#bySecret(delivery, set.candidates);
    const byKeySet = await this.#byKeySet(delivery, set);
    const matches: Match[] = verified
      .filter(({ byPublicKey }) => !byPublicKey)
      .map(({ candidate }) => ({ ...candidate, provedBy: "Secret" }));
    const byStoredKey = verified.filter(({ byPublicKey }) => byPublicKey).map(({ candidate }) => candidate);
    const byKey = [
      ...(await this.#byStoredKey(delivery, { ...set, isWhole: set.isWhole && isWhole }, byStoredKey)),
      ...byKeySet.claims,
    ];
    for (const claim of byKey) matches.push({ ...claim, provedBy: "VendorKey" });
    const refusal = isExpired || byKeySet.isExpired ? "SIGNATURE_EXPIRED" : refusalOf(delivery, set);
    if (isSealed && matches.length === 0 && refusal !== "SIGNATURE_EXPIRED")
      throw notNow("A secret cannot be opened now. Send the delivery again.");
    const tenants = new Map<string, Match>();
    for (const match of matches) if (!tenants.has(match.tenant.uuid)) tenants.set(match.tenant.uuid, match);
    return { matches: [...tenants.values()], refusal };
  }

  /**
   * Tries each candidate's current secret, then those in their grace period in turns, so that one tenant's rotations
   * displace no secret of another. It goes on after a match, so that the time does not tell which one it was.
   */
  async #bySecret(delivery: ArrivedDelivery, candidates: readonly Candidate[]): Promise<Tried> {
    const now = this.#clock();
    const tokens = await tokensInBody(delivery, candidates);
    const tests = new Map<string, PreparedSignature | undefined>();
    const testOf = (candidate: Candidate): PreparedSignature | undefined => {
      const scheme = schemeOf(delivery, candidate);
      if (scheme.kind === "jws") return undefined;
      const isInBody = scheme.kind === "token" && scheme.value !== undefined;
      const name = scheme === specifiedScheme ? "" : JSON.stringify(isInBody ? candidate.driver.webhook : scheme);
      if (!tests.has(name))
        tests.set(
          name,
          isInBody
            ? prepareToken(tokens.get(candidate.driver))
            : prepareSignature(scheme as KeyedScheme, delivery.message, now),
        );
      return tests.get(name);
    };
    const testable = candidates.flatMap((candidate) => {
      const test = testOf(candidate);
      return test ? [{ candidate, test }] : [];
    });
    const secretLists = await this.#secrets.of(testable.map(({ candidate }) => candidate));
    const secrets = secretLists.map((list) => list.filter(isOpen));
    const isSealed = secretLists.some((list) => !list.every(isOpen));
    const nowMs = now.getTime();
    const trials = testable.flatMap(({ candidate, test }, place) => {
      const scheme = schemeOf(delivery, candidate);
      const ownSecrets = (secrets[place] ?? []).filter(({ isPublic }) => takesPublicKeys(scheme) || !isPublic);
      return ownSecrets.sort(currentFirst).map((secret, turn) => ({
        ...{ ...secret, turn, candidate, test },
        byPublicKey: secret.isPublic || hasPublicKeys(scheme),
      }));
    });
    const inTurns = trials.sort((first, other) => first.turn - other.turn).slice(0, maxSecrets);
    const isLarge = delivery.message.body.length > ordinaryBytes;
    const matching = await longWork.begin(senderOf(delivery), matchingTrials(inTurns, { nowMs, isLarge }));
    return {
      verified: matching.filter(({ test }) => test.isRecent),
      isExpired: matching.some(({ test }) => !test.isRecent),
      isSealed,
      isWhole: !isSealed && trials.length <= maxSecrets,
    };
  }

  /** Public keys that tenants have stored. Any tenant may store another tenant's key, so it proves the vendor only. */
  async #byStoredKey(
    delivery: ArrivedDelivery,
    set: CandidateSet,
    candidates: readonly Candidate[],
  ): Promise<readonly Claim[]> {
    if (candidates.length === 0) return [];
    const ofTenants = new Map(claimsOfCandidates(set, candidates).map((claim) => [claim.tenant.uuid, claim]));
    const isOfKind = ({ driver: { webhook } }: Claim): boolean =>
      webhook !== undefined && takesPublicKeys(webhook.scheme);
    // A holder whose secret is not among the candidates, for example while it is suspended, counts as well.
    const keep = async (claims: readonly Claim[]): Promise<readonly Claim[]> => {
      const verifiedClaims = claims.map((claim) => ofTenants.get(claim.tenant.uuid));
      if (verifiedClaims.every((claim) => claim === undefined)) return [];
      return claims.flatMap((claim, place) => {
        const verifiedClaim = verifiedClaims[place];
        return verifiedClaim ? [{ ...verifiedClaim, takesPart: claim.takesPart }] : isOfKind(claim) ? [claim] : [];
      });
    };
    return matchesOfVendorKey(delivery, { ...set, claims: [...ofTenants.values()] }, this.#holders, keep);
  }

  async #byKeySet(delivery: ArrivedDelivery, set: CandidateSet): Promise<FoundByKeySet> {
    const claims = set.claims.filter((claim) => {
      const scheme = jwsSchemeOf(delivery, claim);
      return scheme !== undefined && delivery.message.headers.has(scheme.header);
    });
    if (claims.length === 0) return { claims: [], isExpired: false };
    let isExpired = false;
    const verify: Verify = async (claims) => {
      const outcome = await this.#verifiedByKeySet(delivery, claims);
      isExpired ||= outcome.isExpired;
      return outcome.claims;
    };
    return { claims: await matchesOfVendorKey(delivery, { ...set, claims }, this.#holders, verify), isExpired };
  }

  /** The tenants whose key set verifies. Where one does, those whose key set cannot be read count too. */
  async #verifiedByKeySet(delivery: ArrivedDelivery, claims: readonly Claim[]): Promise<FoundByKeySet> {
    const now = this.#clock();
    const outcomes = await Promise.allSettled(
      claims.map(async (claim) => {
        const scheme = jwsSchemeOf(delivery, claim);
        if (!scheme) return "invalid";
        const keys = this.#keySets.of(claim.tenant.tenantId, scheme.jwksUrl);
        return verifyJws(scheme, delivery.message, keys, now);
      }),
    );
    const values = outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : undefined));
    const isExpired = values.includes("expired");
    if (!values.includes("valid")) {
      const failure = outcomes.find((outcome) => outcome.status === "rejected");
      if (failure && !isExpired) throw unreadableKeys(failure.reason);
      return { claims: [], isExpired };
    }
    return { claims: claims.filter((_, place) => [undefined, "valid"].includes(values[place])), isExpired };
  }
}

interface FoundByKeySet {
  readonly claims: readonly Claim[];
  /** Whether a vendor's key has made the signature, whose time is not recent. */
  readonly isExpired: boolean;
}

interface Trial extends OpenSecret {
  readonly test: PreparedSignature;
}

/** The trials whose secret has signed the delivery. Each secret has its own turn for a large body. */
function* matchingTrials<T extends Trial>(
  trials: readonly T[],
  { nowMs, isLarge }: { readonly nowMs: number; readonly isLarge: boolean },
): PausableWork<T[]> {
  const matching: T[] = [];
  for (const trial of trials) {
    if (isLarge) yield;
    if (trial.test.matches(trial.text) && trial.usableUntil > nowMs) matching.push(trial);
  }
  return matching;
}

/** Whether the delivery has no signature in any scheme that is known for it. */
function refusalOf(delivery: ArrivedDelivery, { candidates, claims }: CandidateSet): SignatureRefusal {
  const { headers, body } = delivery.message;
  const hasTokenInside = ({ driver: { webhook } }: Registration) => webhook && tokenPlace(webhook) !== undefined;
  if (delivery.form === "Vendor" && body.length > maxParsedBytes && candidates.some(hasTokenInside))
    return "PAYLOAD_TOO_LARGE";
  const names = [...candidates, ...claims].flatMap((registration) => {
    const jws = jwsSchemeOf(delivery, registration);
    return [signatureHeader(schemeOf(delivery, registration)), ...(jws ? [jws.header] : [])];
  });
  const isThere = (name: string | undefined) => name === undefined || headers.has(name);
  return names.some(isThere) ? "SIGNATURE_INVALID" : "SIGNATURE_MISSING";
}

const isCurrent = ({ usableUntil }: OpenSecret): boolean => usableUntil === Number.POSITIVE_INFINITY;
const currentFirst = (first: OpenSecret, other: OpenSecret): number =>
  Number(isCurrent(other)) - Number(isCurrent(first));

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
