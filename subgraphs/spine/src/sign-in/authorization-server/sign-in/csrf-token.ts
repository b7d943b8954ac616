import { createHmac, timingSafeEqual } from "node:crypto";
import type { DerivedKey, Keyring } from "@factory/runtime/sealing/master-keys";

/**
 * CSRF tokens: they prove that a form was made for this interaction. A page from another site can send a form, but not
 * read ours.
 */
export class CsrfTokens {
  readonly #keys: Keyring;

  constructor(keys: Keyring) {
    this.#keys = keys;
  }

  /** A form's token, by the step and the ID of the interaction or session. */
  create(uid: string, step: string): string {
    return csrfToken(this.#keys.newest, uid, step);
  }

  /** Accepts tokens of former master keys, too. Compares in constant time. */
  matches(token: string, uid: string, step: string): boolean {
    const givenToken = Buffer.from(token);
    return this.#keys.all.some((key) => {
      const expectedToken = Buffer.from(csrfToken(key, uid, step));
      return givenToken.length === expectedToken.length && timingSafeEqual(givenToken, expectedToken);
    });
  }
}

const csrfToken = ({ bytes }: DerivedKey, uid: string, step: string) =>
  createHmac("sha256", bytes).update(`${step}\0${uid}`).digest("base64url");
