import type { Principal } from "./principal.js";
import { longestLifetimeSeconds, type ReadClaims } from "./token-claims.js";

interface RevokedGroup {
  matches: (principal: Principal) => boolean;
  atSeconds: number;
}

/** Tokens that verify but are refused. Each entry is kept for as long as a token it speaks of can live. */
export class Revocations {
  readonly #tokens = new Map<string, number>();
  #groups: RevokedGroup[] = [];

  addToken(tokenId: string, nowSeconds: number): void {
    this.#prune(nowSeconds);
    this.#tokens.delete(tokenId);
    this.#tokens.set(tokenId, nowSeconds);
  }

  addGroup(matches: (principal: Principal) => boolean, nowSeconds: number): void {
    this.#prune(nowSeconds);
    this.#groups.push({ matches, atSeconds: nowSeconds });
  }

  /** A group covers what was issued up to its revocation: whoever is let in again gets a newer token. */
  covers({ principal, issuedAt }: ReadClaims): boolean {
    if (this.#tokens.has(principal.tokenId)) return true;
    return this.#groups.some(({ matches, atSeconds }) => issuedAt <= atSeconds && matches(principal));
  }

  #prune(nowSeconds: number): void {
    const stillMatters = nowSeconds - longestLifetimeSeconds - 60;
    for (const [tokenId, atSeconds] of this.#tokens) {
      if (atSeconds >= stillMatters) break;
      this.#tokens.delete(tokenId);
    }
    this.#groups = this.#groups.filter(({ atSeconds }) => atSeconds >= stillMatters);
  }
}
