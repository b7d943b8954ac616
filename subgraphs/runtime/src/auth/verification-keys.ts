import { type CryptoKey, importJWK, type JSONWebKeySet, type JWK } from "jose";
import { DomainError } from "../errors/domain-error.js";

const reloadCooldownMs = 30_000;
/** A shorter pause before the first load, since the issuer may start after this process. */
const firstLoadCooldownMs = 1_000;
const refreshAfterMs = 300_000;
const uselessAfterMs = 24 * 3_600_000;

/**
 * The issuer's public keys by `kid`. The keys stay in use while the issuer does not answer, and callers cannot cause
 * frequent reloads.
 */
export class VerificationKeys {
  readonly #load: () => Promise<JSONWebKeySet>;
  readonly #clock: () => number;
  readonly #onWithdrawn: () => void;
  #keys = new Map<string, CryptoKey>();
  #loadedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;

  /** `onWithdrawn` is called when a key was withdrawn, so that its tokens are not valid any more. */
  constructor(load: () => Promise<JSONWebKeySet>, clock: () => number, onWithdrawn: () => void = () => undefined) {
    this.#load = load;
    this.#clock = clock;
    this.#onWithdrawn = onWithdrawn;
  }

  async find(kid: string): Promise<CryptoKey | undefined> {
    const ageMs = this.#clock() - this.#loadedAt;
    if (ageMs < uselessAfterMs && this.#keys.has(kid)) {
      if (ageMs > refreshAfterMs) void this.#reload();
      return this.#keys.get(kid);
    }
    await this.#reload();
    if (this.#clock() - this.#loadedAt >= uselessAfterMs) {
      throw new DomainError("UNAVAILABLE", {
        detail: "The keys of the token issuer cannot be read now. Try again later.",
      });
    }
    return this.#keys.get(kid);
  }

  /** Reloads at once, without a cooldown, because the issuer announced a change. */
  async reload(): Promise<void> {
    await this.#loading;
    this.#triedAt = Number.NEGATIVE_INFINITY;
    await this.#reload();
  }

  #reload(): Promise<void> {
    const cooldownMs = this.#keys.size === 0 ? firstLoadCooldownMs : reloadCooldownMs;
    if (this.#loading === undefined && this.#clock() - this.#triedAt >= cooldownMs) {
      this.#triedAt = this.#clock();
      this.#loading = this.#replaceKeys().finally(() => {
        this.#loading = undefined;
      });
    }
    return this.#loading ?? Promise.resolve();
  }

  async #replaceKeys(): Promise<void> {
    try {
      const { keys } = await this.#load();
      const usable = keys.filter(isSigningKey).map(async ({ kid, kty, crv, x, y }): Promise<[string, CryptoKey]> => {
        return [kid, (await importJWK({ kty, crv, x, y }, "ES256")) as CryptoKey];
      });
      const knownIds = [...this.#keys.keys()];
      this.#keys = new Map(await Promise.all(usable));
      this.#loadedAt = this.#clock();
      if (knownIds.some((kid) => !this.#keys.has(kid))) this.#onWithdrawn();
    } catch {
      // The loaded keys stay in use. Without any keys, find() throws UNAVAILABLE.
    }
  }
}

type SigningKey = JWK & { kid: string; kty: string; crv: string; x: string; y: string };

function isSigningKey(key: JWK): key is SigningKey {
  const { kid, kty, crv, x, y, use = "sig", alg = "ES256" } = key;
  const members = [kid, x, y].every((member) => typeof member === "string");
  return members && kty === "EC" && crv === "P-256" && use === "sig" && alg === "ES256";
}
