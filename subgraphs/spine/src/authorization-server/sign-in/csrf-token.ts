import { createHmac, timingSafeEqual } from "node:crypto";
import type { DerivedKey, Keyring } from "@factory/runtime/sealing/master-keys";

/** Proof that a form was made for this interaction: a page elsewhere can send a form, but not read this one. */
export class CsrfTokens {
  readonly #keys: Keyring;

  constructor(keys: Keyring) {
    this.#keys = keys;
  }

  of(uid: string, step: string): string {
    return made(this.#keys.newest, uid, step);
  }

  matches(token: string, uid: string, step: string): boolean {
    const given = Buffer.from(token);
    return this.#keys.all.some((key) => {
      const expected = Buffer.from(made(key, uid, step));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

const made = ({ bytes }: DerivedKey, uid: string, step: string) =>
  createHmac("sha256", bytes).update(`${step}\0${uid}`).digest("base64url");
