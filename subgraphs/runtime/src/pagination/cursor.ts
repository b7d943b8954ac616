import { createHmac, timingSafeEqual } from "node:crypto";
import { DomainError } from "../errors/domain-error.js";
import { fingerprint } from "../idempotency/fingerprint.js";

const macLength = 16;

/** Cursors of keyset lists: the position after a row, signed together with the list, tenant and filters it belongs to. */
export class CursorCodec {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  encode(list: unknown, position: readonly string[]): string {
    const text = JSON.stringify(position);
    return Buffer.concat([this.#mac(list, text), Buffer.from(text)]).toString("base64url");
  }

  /** The position, or INVALID_CURSOR for anything that `encode` did not make for this very list. */
  decode(list: unknown, cursor: string): string[] {
    const bytes = Buffer.from(cursor, "base64url");
    const mac = bytes.subarray(0, macLength);
    const text = bytes.subarray(macLength).toString();
    if (mac.length !== macLength || !timingSafeEqual(mac, this.#mac(list, text)))
      throw new DomainError("INVALID_CURSOR", { detail: "The cursor was not made for this list and these filters." });
    return JSON.parse(text) as string[];
  }

  #mac(list: unknown, text: string): Buffer {
    return createHmac("sha256", this.#key).update(fingerprint(list)).update(text).digest().subarray(0, macLength);
  }
}
