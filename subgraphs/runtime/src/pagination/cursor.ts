import { createHmac, timingSafeEqual } from "node:crypto";
import { DomainError } from "../errors/domain-error.js";
import { fingerprint } from "../idempotency/fingerprint.js";

const macLength = 16;

/** Cursors of lists: a position, signed together with the list, tenant and filters (the scope) it belongs to. */
export class CursorSeal {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** `position` is plain JSON. */
  seal(scope: unknown, position: unknown): string {
    const text = JSON.stringify(position);
    return Buffer.concat([this.#mac(scope, text), Buffer.from(text)]).toString("base64url");
  }

  /** The position, or INVALID_CURSOR for anything that `seal` did not make for this very scope. */
  open(scope: unknown, cursor: string): unknown {
    const bytes = Buffer.from(cursor, "base64url");
    const mac = bytes.subarray(0, macLength);
    const text = bytes.subarray(macLength).toString();
    // decoding passes over what stands behind the last whole byte
    const whole = mac.length === macLength && bytes.toString("base64url") === cursor;
    if (!whole || !timingSafeEqual(mac, this.#mac(scope, text)))
      throw new DomainError("INVALID_CURSOR", { detail: "The cursor was not made for this list and these filters." });
    return JSON.parse(text);
  }

  #mac(scope: unknown, text: string): Buffer {
    return createHmac("sha256", this.#key).update(fingerprint(scope)).update(text).digest().subarray(0, macLength);
  }
}
