import { createHmac, timingSafeEqual } from "node:crypto";
import { DomainError } from "../errors/domain-error.js";
import { fingerprint } from "../idempotency/fingerprint.js";
import type { Keyring } from "../sealing/master-keys.js";

const keyIdLength = 8;
const macLength = 16;

/** Signs and verifies list cursors. The signature covers the position and its scope: list, tenant and filters. */
export class CursorSeal {
  readonly #keys: Keyring;
  readonly #formerKeys: readonly Buffer[];

  /** `formerKeys`: keys for cursors from before 2026-11-22, which do not name their key. */
  constructor(keys: Keyring, formerKeys: readonly Buffer[] = keys.all.map(({ bytes }) => bytes)) {
    this.#keys = keys;
    this.#formerKeys = formerKeys;
  }

  /** A cursor with the key ID, the signature and the position, which is plain JSON. */
  seal(scope: unknown, position: unknown): string {
    const text = Buffer.from(JSON.stringify(position));
    const { id, bytes } = this.#keys.newest;
    return Buffer.concat([Buffer.from(id, "hex"), signature(bytes, scope, text), text]).toString("base64url");
  }

  /** The position in a cursor that `seal` made for this scope; throws INVALID_CURSOR for any other text. */
  open(scope: unknown, cursor: string): unknown {
    const bytes = Buffer.from(cursor, "base64url");
    // The decoder ignores bits after the last whole byte, so several texts would decode to the same bytes.
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
