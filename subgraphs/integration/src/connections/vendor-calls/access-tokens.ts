import { setTimeout as pause } from "node:timers/promises";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { ErrorCode } from "@factory/schema/error-codes";
import type { ProviderRecord } from "../../providers/providers/provider-record.js";
import type { VendorCredentials } from "./authentication/vendor-credentials.js";
import { credentialRejected, outOfTime } from "./exchange/call-failure.js";
import type { VendorTarget } from "./exchange/vendor-call.js";
import { type AllowedClients, hasGrantOf, isAllowedClient, nextClient, settingsOf } from "./oauth2-client.js";
import type { VendorTokens } from "./token-answer.js";
import type { Grant, TokenEndpoint } from "./token-endpoint.js";
import type { StoredTokens, TokenStore } from "./token-store.js";

/** An access token in plain text. A renewed token has another version. */
interface AccessToken {
  readonly token: string;
  readonly version: number;
}

interface Wanted {
  readonly target: VendorTarget;
  readonly provider: ProviderRecord;
  /** The version that the vendor has refused. */
  readonly refused: number | undefined;
  /** A probe asks whether the vendor gives a token. No event tells about a token that replaces a good one. */
  readonly isProbe: boolean;
}

interface Options {
  readonly store: TokenStore;
  readonly endpoint: TokenEndpoint;
  readonly credentials: VendorCredentials;
  readonly clock: () => Date;
}

const minute = 60_000;
/** A token that is younger shows that a person's authorization is good. */
const youngMs = 5 * minute;
const maxMarginMs = 15 * minute;
const coolDownMs = 30_000;
const lookMs = 150;
/** Longer than a lease, which ends when the process that held it has died. */
const patienceMs = 70_000;
const stopPatienceMs = 10_000;

/**
 * The connections' access tokens. A token is renewed before its end, once for all callers in this process, and once for
 * all processes by a lease in its row. No database connection is held while the vendor is asked.
 */
export class AccessTokens {
  readonly #store: TokenStore;
  readonly #endpoint: TokenEndpoint;
  readonly #credentials: VendorCredentials;
  readonly #clock: () => Date;
  readonly #underWay = new Map<string, Promise<AccessToken>>();

  constructor({ store, endpoint, credentials, clock }: Options) {
    this.#store = store;
    this.#endpoint = endpoint;
    this.#credentials = credentials;
    this.#clock = clock;
  }

  /**
   * A token that the vendor has not refused as version `refusedVersion`. Throws what `VendorCalls.call` throws,
   * AUTHORIZATION_REQUIRED when a person must authorize the connection first.
   */
  of(target: VendorTarget, provider: ProviderRecord, refusedVersion?: number): Promise<AccessToken> {
    return this.#shared({ target, provider, refused: refusedVersion, isProbe: false });
  }

  /**
   * Has the token endpoint asked for a new token. A person's authorization is not used up by that: its token is renewed
   * when it is due. False: the vendor was not asked within the last minutes. Throws as `of` does.
   */
  async check(target: VendorTarget, provider: ProviderRecord): Promise<boolean> {
    const tokenRequest = { target, provider, isProbe: true };
    if (target.connection.authMode !== "OAuth2AuthorizationCode") {
      const storedTokens = await this.#store.read(target);
      await this.#shared({
        ...tokenRequest,
        refused: storedTokens?.accessToken === undefined ? undefined : storedTokens.version,
      });
      return true;
    }
    await this.#shared({ ...tokenRequest, refused: undefined });
    const issuedAt = (await this.#store.read(target))?.issuedAt;
    return issuedAt != null && this.#clock().getTime() - issuedAt.getTime() < youngMs;
  }

  async #shared(tokenRequest: Wanted): Promise<AccessToken> {
    const { target, provider, refused, isProbe } = tokenRequest;
    const { tenant, connection, credentialVersion } = target;
    // The token for a version that is only verified is not for the connection's callers.
    if (credentialVersion !== undefined && connection.authMode !== "OAuth2AuthorizationCode")
      return { token: (await this.#endpoint.obtain(target, provider)).accessToken, version: 0 };
    const client = `${connection.credentialId ?? ""} ${credentialVersion ?? ""} ${settingsOf(provider, connection)}`;
    const key = `${tenant.uuid} ${connection.connectionId} ${client} ${refused ?? ""} ${isProbe}`;
    const pendingToken = this.#underWay.get(key);
    if (pendingToken) return pendingToken;
    // The work is for all callers, so one caller's end does not end it.
    const { signal: _, ...forAll } = target;
    const work = this.#current({ ...tokenRequest, target: forAll }).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, work);
    return work;
  }

  /** Waits some seconds for the renewals that are under way: their tokens would be lost without the database. */
  async settled(): Promise<void> {
    const all = Promise.allSettled(this.#underWay.values());
    await Promise.race([all, pause(stopPatienceMs, undefined, { ref: false })]);
  }

  async #current(tokenRequest: Wanted): Promise<AccessToken> {
    const giveUpAt = performance.now() + patienceMs;
    // After the first look there is a row, which only a deletion or a revocation takes away.
    let isKnown = false;
    while (performance.now() < giveUpAt) {
      const [storedTokens, clients] = await Promise.all([
        this.#store.read(tokenRequest.target),
        this.#clients(tokenRequest),
      ]);
      if (isKnown && !storedTokens)
        throw new DomainError("INVALID_STATE", {
          detail: "The connection was deleted or its credential was revoked meanwhile.",
        });
      isKnown = true;
      const usable = this.#usable(storedTokens, tokenRequest, clients);
      const mayWait =
        storedTokens &&
        (this.#isFresh(storedTokens) || storedTokens.isLeased || this.#coolsDown(storedTokens, clients));
      if (usable && mayWait) return usable;
      this.#refuseInCoolDown(storedTokens, tokenRequest, clients);
      const lease = storedTokens?.isLeased ? undefined : await this.#store.lease(tokenRequest.target);
      const token = lease && (await this.#renewed(tokenRequest, lease, clients));
      if (token) return token;
      await pause(lookMs);
    }
    throw outOfTime();
  }

  async #clients({ target, provider }: Wanted): Promise<AllowedClients> {
    const { connection } = target;
    const versions = await this.#credentials.usableVersions(target);
    return { credentialId: connection.credentialId, versions, settings: settingsOf(provider, connection) };
  }

  /** Undefined when another process took the lease over meanwhile. */
  async #renewed(tokenRequest: Wanted, lease: StoredTokens, clients: AllowedClients): Promise<AccessToken | undefined> {
    const { target, provider } = tokenRequest;
    const usable = this.#usable(lease, tokenRequest, clients);
    if (usable && this.#isFresh(lease)) {
      await this.#store.release(target, lease);
      return usable;
    }
    let tokens: VendorTokens;
    try {
      requirePage(target, provider, lease);
      tokens = await this.#endpoint.obtain(target, provider, () => grantOf(target, lease, clients));
    } catch (error) {
      await this.#failed(target, lease, clients, error);
      if (usable && !isRejection(error)) return usable;
      throw isRejection(error) || isLocal(error) || target.credentialVersion !== undefined
        ? error
        : withCoolDown(error);
    }
    const isStored = await this.#stored(tokenRequest, lease, clients, tokens);
    return isStored ? { token: tokens.accessToken, version: lease.version + 1 } : undefined;
  }

  /** A version that is only verified, and a vendor that was not asked, say nothing about the connection's tokens. */
  async #failed(target: VendorTarget, lease: StoredTokens, clients: AllowedClients, error: unknown): Promise<void> {
    if (target.credentialVersion !== undefined || isLocal(error)) return this.#store.release(target, lease);
    const code = error instanceof DomainError ? error.code : "INTERNAL";
    return this.#store.failed(target, lease, code, nextClient(clients));
  }

  #stored(tokenRequest: Wanted, lease: StoredTokens, clients: AllowedClients, tokens: VendorTokens): Promise<boolean> {
    const wasGood = this.#usable(lease, { ...tokenRequest, refused: undefined }, clients) !== undefined;
    const isRoutine = tokenRequest.isProbe && wasGood && lease.failedAt === null;
    const former = hasGrantOf(lease.client, clients) ? lease.refreshToken : undefined;
    const all = { ...tokens, refreshToken: tokens.refreshToken ?? former };
    return this.#store.refreshed(tokenRequest.target, lease, all, isRoutine);
  }

  #usable(
    storedTokens: StoredTokens | undefined,
    { target, refused }: Wanted,
    clients: AllowedClients,
  ): AccessToken | undefined {
    if (storedTokens?.accessToken === undefined || storedTokens.version === refused) return undefined;
    if (!isAllowedClient(storedTokens.client, clients)) return undefined;
    // The credential's version is verified by a new token.
    if (target.credentialVersion !== undefined && refused === undefined) return undefined;
    const { accessToken: token, version, expiresAt } = storedTokens;
    return expiresAt === null || expiresAt > this.#clock() ? { token, version } : undefined;
  }

  /** Not within the margin before its end: 15 minutes, or a tenth of its life. */
  #isFresh({ issuedAt, expiresAt }: StoredTokens): boolean {
    if (expiresAt === null || issuedAt === null) return true;
    const margin = Math.min(maxMarginMs, (expiresAt.getTime() - issuedAt.getTime()) / 10);
    return expiresAt.getTime() - this.#clock().getTime() > margin;
  }

  /** Another client's failure says nothing. */
  #coolsDown({ failedAt, failedClient }: StoredTokens, clients: AllowedClients): boolean {
    if (failedAt === null || !hasGrantOf(failedClient, clients)) return false;
    return failedClient?.version === clients.versions[0] && this.#clock().getTime() - failedAt.getTime() < coolDownMs;
  }

  /** After a failure the vendor is not asked for 30 s, and the callers are told the failure's reason. */
  #refuseInCoolDown(storedTokens: StoredTokens | undefined, { target }: Wanted, clients: AllowedClients): void {
    if (!storedTokens || target.credentialVersion !== undefined || !this.#coolsDown(storedTokens, clients)) return;
    if (storedTokens.failureCode === "CREDENTIAL_REJECTED")
      throw credentialRejected("The vendor has refused to renew the token of the connection.");
    const until = new Date((storedTokens.failedAt ?? this.#clock()).getTime() + coolDownMs).toISOString();
    throw new DomainError((storedTokens.failureCode ?? "UPSTREAM_FAILED") as ErrorCode, {
      detail: `The token of the connection could not be renewed. The vendor is asked again after ${until}.`,
      retryAfterSeconds: coolDownMs / 1000,
    });
  }
}

function grantOf(
  { connection }: VendorTarget,
  { version, client, refreshToken }: StoredTokens,
  clients: AllowedClients,
): Grant | undefined {
  if (connection.authMode !== "OAuth2AuthorizationCode") return undefined;
  const isAuthorized = hasGrantOf(client, clients);
  if (isAuthorized && refreshToken !== undefined) return { grant_type: "refresh_token", refresh_token: refreshToken };
  const notYet =
    "The connection is not authorized yet. Open its authorizationUrl; reauthorize the connection to get a new one.";
  const otherwise =
    "The connection was authorized with another credential or other settings. Reauthorize it, and open its authorizationUrl.";
  const endedDetail =
    "The access token has ended, and the vendor gave no refresh token. Reauthorize the connection, and open its authorizationUrl.";
  throw new DomainError("AUTHORIZATION_REQUIRED", {
    detail: isAuthorized ? endedDetail : version === 0 ? notYet : otherwise,
  });
}

/** Throws AUTH_MODE_NOT_SUPPORTED when people cannot authorize a connection that nobody has authorized. */
function requirePage({ connection }: VendorTarget, { driver }: ProviderRecord, { refreshToken }: StoredTokens): void {
  const isByPeople = connection.authMode === "OAuth2AuthorizationCode";
  if (!isByPeople || refreshToken !== undefined || driver.oauth2?.authorizationUrl !== undefined) return;
  throw new DomainError("AUTH_MODE_NOT_SUPPORTED", {
    detail:
      "The provider names no authorizationUrl in its driver, so people cannot authorize the connection. Add it, then reauthorize the connection.",
  });
}

/** The refusal says that the vendor is not asked again at once, so that a call does not try in vain. */
function withCoolDown(error: unknown): unknown {
  if (!(error instanceof DomainError) || error.facts["retryAfterSeconds"] !== undefined) return error;
  return new DomainError(error.code, { ...error.facts, retryAfterSeconds: coolDownMs / 1000 });
}

/** The refusals that need no pause: they end as soon as their cause is repaired, or have their own pause. */
const localCodes: readonly ErrorCode[] = [
  "AUTHORIZATION_REQUIRED",
  "AUTH_MODE_NOT_SUPPORTED",
  "CREDENTIAL_NOT_FOUND",
  "CREDENTIAL_UNUSABLE",
  "INVALID_STATE",
  // the pause for the connection's calls
  "RATE_LIMITED",
];

const isLocal = (error: unknown) => error instanceof DomainError && localCodes.includes(error.code);

const isRejection = (error: unknown) => error instanceof DomainError && error.code === "CREDENTIAL_REJECTED";
