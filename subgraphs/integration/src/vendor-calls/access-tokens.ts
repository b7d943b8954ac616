import { setTimeout as pause } from "node:timers/promises";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { ErrorCode } from "@factory/schema/error-codes";
import type { ProviderRecord } from "../providers/provider-record.js";
import { credentialRejected, outOfTime } from "./exchange/call-failure.js";
import type { VendorTarget } from "./exchange/vendor-call.js";
import type { VendorTokens } from "./token-answer.js";
import type { Grant, TokenEndpoint } from "./token-endpoint.js";
import type { StoredTokens, TokenStore } from "./token-store.js";

/** An access token in plain text. A renewed token has another version. */
export interface AccessToken {
  readonly token: string;
  readonly version: number;
}

interface Wanted {
  readonly target: VendorTarget;
  readonly provider: ProviderRecord;
  /** The version that the vendor has refused. */
  readonly refused: number | undefined;
}

const minute = 60_000;
const maxMarginMs = 15 * minute;
const coolDownMs = 30_000;
const lookMs = 150;
/** Longer than a lease, which ends when the process that held it has died. */
const patienceMs = 40_000;

/**
 * The access tokens of connections. A token is renewed before its end, once for all callers of this process, and once
 * for all processes by a lease in its row. No connection of the database is held while the vendor is asked.
 */
export class AccessTokens {
  readonly #store: TokenStore;
  readonly #endpoint: TokenEndpoint;
  readonly #clock: () => Date;
  readonly #underWay = new Map<string, Promise<AccessToken>>();

  constructor(store: TokenStore, endpoint: TokenEndpoint, clock: () => Date) {
    this.#store = store;
    this.#endpoint = endpoint;
    this.#clock = clock;
  }

  /**
   * A token that the vendor has not refused as version `refused`. Throws what `VendorCalls.call` throws,
   * AUTHORIZATION_REQUIRED when a person must authorize the connection first.
   */
  async of(target: VendorTarget, provider: ProviderRecord, refused?: number): Promise<AccessToken> {
    const { tenant, connection, credentialVersion } = target;
    const wanted = { target, provider, refused };
    // The token of a version that is only verified is not for the callers of the connection.
    if (credentialVersion !== undefined && connection.authMode !== "OAuth2AuthorizationCode")
      return { token: (await this.#endpoint.obtain(target, provider)).accessToken, version: 0 };
    const key = `${tenant.uuid} ${connection.connectionId} ${refused ?? ""} ${credentialVersion ?? ""}`;
    const known = this.#underWay.get(key);
    if (known) return known;
    // The work is for all callers, so the end of one of them does not end it.
    const { signal: _, ...forAll } = target;
    const work = this.#current({ ...wanted, target: forAll }).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, work);
    return work;
  }

  async #current(wanted: Wanted): Promise<AccessToken> {
    const giveUpAt = performance.now() + patienceMs;
    let known = false;
    while (performance.now() < giveUpAt) {
      const stored = await this.#store.read(wanted.target);
      if (known && !stored) throw new DomainError("INVALID_STATE", { detail: "The connection was deleted meanwhile." });
      known = stored !== undefined;
      const usable = this.#usable(stored, wanted);
      if (stored && usable && (this.#isFresh(stored) || stored.isLeased || this.#coolsDown(stored))) return usable;
      this.#refuseInCoolDown(stored, wanted);
      const lease = await this.#store.lease(wanted.target);
      const token = lease && (await this.#renewed(wanted, lease));
      if (token) return token;
      await pause(lookMs);
    }
    throw outOfTime();
  }

  /** Undefined when another process took the lease over meanwhile. */
  async #renewed(wanted: Wanted, lease: StoredTokens): Promise<AccessToken | undefined> {
    const { target, provider } = wanted;
    const usable = this.#usable(lease, wanted);
    if (usable && this.#isFresh(lease)) {
      await this.#store.release(target, lease);
      return usable;
    }
    let tokens: VendorTokens;
    try {
      tokens = await this.#endpoint.obtain(target, provider, grantOf(target, lease, provider));
    } catch (error) {
      // A version that is only verified, and a vendor that was not asked, say nothing about the tokens of the connection.
      if (target.credentialVersion !== undefined || isLocal(error)) await this.#store.release(target, lease);
      else await this.#store.failed(target, lease, error instanceof DomainError ? error.code : "INTERNAL");
      if (usable && !isRejection(error)) return usable;
      throw isRejection(error) || isLocal(error) || target.credentialVersion !== undefined
        ? error
        : withCoolDown(error);
    }
    const isStored = await this.#store.refreshed(target, lease, tokens);
    return isStored ? { token: tokens.accessToken, version: lease.version + 1 } : undefined;
  }

  #usable(stored: StoredTokens | undefined, { target, refused }: Wanted): AccessToken | undefined {
    if (stored?.accessToken === undefined || stored.version === refused) return undefined;
    // A version of the credential is verified by a new token.
    if (target.credentialVersion !== undefined && refused === undefined) return undefined;
    const { accessToken: token, version, expiresAt } = stored;
    return expiresAt === null || expiresAt > this.#clock() ? { token, version } : undefined;
  }

  /** Not within the margin before its end: 15 minutes, or a tenth of its life. */
  #isFresh({ issuedAt, expiresAt }: StoredTokens): boolean {
    if (expiresAt === null || issuedAt === null) return true;
    const margin = Math.min(maxMarginMs, (expiresAt.getTime() - issuedAt.getTime()) / 10);
    return expiresAt.getTime() - this.#clock().getTime() > margin;
  }

  #coolsDown({ failedAt }: StoredTokens): boolean {
    return failedAt !== null && this.#clock().getTime() - failedAt.getTime() < coolDownMs;
  }

  /** After a failure the vendor is not asked for 30 s, and the callers are told the reason of the failure. */
  #refuseInCoolDown(stored: StoredTokens | undefined, { target }: Wanted): void {
    if (!stored || target.credentialVersion !== undefined || !this.#coolsDown(stored)) return;
    if (stored.failureCode === "CREDENTIAL_REJECTED")
      throw credentialRejected("The vendor has refused to renew the token of the connection.");
    throw new DomainError((stored.failureCode ?? "UPSTREAM_FAILED") as ErrorCode, {
      detail: "The token of the connection could not be renewed a moment ago. Try again later.",
      retryAfterSeconds: coolDownMs / 1000,
    });
  }
}

function grantOf(
  { connection }: VendorTarget,
  { version, refreshToken }: StoredTokens,
  { driver }: ProviderRecord,
): Grant | undefined {
  if (connection.authMode !== "OAuth2AuthorizationCode") return undefined;
  if (refreshToken !== undefined) return { grant_type: "refresh_token", refresh_token: refreshToken };
  if (driver.oauth2?.authorizationUrl === undefined)
    throw new DomainError("AUTH_MODE_NOT_SUPPORTED", {
      detail:
        "The provider names no authorizationUrl in its driver, so people cannot authorize the connection. Add it, then reauthorize the connection.",
    });
  throw new DomainError("AUTHORIZATION_REQUIRED", {
    detail:
      version === 0
        ? "The connection is not authorized yet. Open its authorizationUrl; reauthorize the connection to get a new one."
        : "The access token has ended, and the vendor gave no refresh token. Reauthorize the connection, and open its authorizationUrl.",
  });
}

/** The refusal says that the vendor is not asked again at once, so that a call does not try in vain. */
function withCoolDown(error: unknown): unknown {
  if (!(error instanceof DomainError) || error.facts["retryAfterSeconds"] !== undefined) return error;
  return new DomainError(error.code, { ...error.facts, retryAfterSeconds: coolDownMs / 1000 });
}

/** The refusals before the vendor is asked. They end as soon as their cause is repaired, so they need no pause. */
const localCodes: readonly ErrorCode[] = [
  "AUTHORIZATION_REQUIRED",
  "AUTH_MODE_NOT_SUPPORTED",
  "CREDENTIAL_NOT_FOUND",
  "CREDENTIAL_UNUSABLE",
  "INVALID_STATE",
];

const isLocal = (error: unknown) => error instanceof DomainError && localCodes.includes(error.code);

const isRejection = (error: unknown) => error instanceof DomainError && error.code === "CREDENTIAL_REJECTED";
