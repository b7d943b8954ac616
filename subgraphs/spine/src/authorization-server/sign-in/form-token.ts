import { createHmac, timingSafeEqual } from "node:crypto";

/** Proof that a form was made for this interaction: a page elsewhere can send a form, but not read this one. */
export class FormTokens {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  of(uid: string, step: string): string {
    return createHmac("sha256", this.#key).update(`${step}\0${uid}`).digest("base64url");
  }

  matches(token: string, uid: string, step: string): boolean {
    const expected = Buffer.from(this.of(uid, step));
    const given = Buffer.from(token);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}
