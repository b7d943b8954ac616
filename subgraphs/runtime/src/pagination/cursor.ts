import { createHmac, timingSafeEqual } from "node:crypto";
import { DomainError } from "../errors/domain-error.js";
import { fingerprint } from "../idempotency/fingerprint.js";
import type { Keyring } from "../sealing/master-keys.js";

const keyIdLength = 8;
const macLength = 16;

/** Cursors of lists: a position, signed together with the list, tenant and filters (the scope) it belongs to. */
export class CursorSeal {
  readonly #keys: Keyring;
  readonly #formerKeys: readonly Buffer[];

  /** `formerKeys` are what cursors were signed with until 2026-11-22, when they began to name their key. */
  constructor(keys: Keyring, formerKeys: readonly Buffer[] = keys.all.map(({ bytes }) => bytes)) {
    this.#keys = keys;
    this.#formerKeys = formerKeys;
  }

  /** `position` is plain JSON. The cursor holds key id, signature and position. */
  seal(scope: unknown, position: unknown): string {
    const text = Buffer.from(JSON.stringify(position));
    const { id, bytes } = this.#keys.newest;
    return Buffer.concat([Buffer.from(id, "hex"), signature(bytes, scope, text), text]).toString("base64url");
  }

  /** The position, or INVALID_CURSOR for anything that `seal` did not make for this very scope. */
  open(scope: unknown, cursor: string): unknown {
    const bytes = Buffer.from(cursor, "base64url");
    // decoding passes over what stands behind the last whole byte
    const text = bytes.toString("base64url") === cursor ? this.#text(scope, bytes) : undefined;
    if (text === undefined)
      throw new DomainError("INVALID_CURSOR", {
        detail:
          "The cursor was not made for this list, these filters and this order. Take nextCursor of the page before, or begin without a cursor.",
      });
    return JSON.parse(text.toString());
  }

  #text(scope: unknown, bytes: Buffer): Buffer | undefined {
    const keyId = bytes.subarray(0, keyIdLength).toString("hex");
    const key = this.#keys.all.find(({ id }) => id === keyId);
    if (key) return signedText(key.bytes, scope, bytes.subarray(keyIdLength));
    for (const former of this.#formerKeys) {
      const text = signedText(former, scope, bytes);
      if (text) return text;
    }
    return undefined;
  }
}

function signedText(key: Buffer, scope: unknown, bytes: Buffer): Buffer | undefined {
  const [mac, text] = [bytes.subarray(0, macLength), bytes.subarray(macLength)];
  return mac.length === macLength && timingSafeEqual(mac, signature(key, scope, text)) ? text : undefined;
}

function signature(key: Buffer, scope: unknown, text: Buffer): Buffer {
  return createHmac("sha256", key).update(fingerprint(scope)).update(text).digest().subarray(0, macLength);
}
