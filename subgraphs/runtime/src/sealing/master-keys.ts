import { createHmac, hkdfSync } from "node:crypto";
import type { KeyLabel } from "./key-labels.js";

/** A 256-bit key for one purpose, derived from one master key. */
export interface DerivedKey {
  /** 16 hexadecimal characters that are stored beside a sealed value. They reveal nothing about the key. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** The derived keys for one purpose, one for each master key. */
export interface Keyring {
  /** The key that seals new values. */
  readonly newest: DerivedKey;
  readonly oldest: DerivedKey;
  /** The keys that open values, the newest first. */
  readonly all: readonly DerivedKey[];
}

const derivedKeyBytes = 32;
const shortestMasterKeyBytes = 32;

/**
 * The master keys: SECRETS_KEY and former ones. Every key in use is derived from them by HKDF-SHA-256 (RFC 5869) without
 * a salt, which section 3.1 permits because a master key is uniformly random.
 */
export class MasterKeys {
  readonly #masters: readonly Buffer[];

  /** The newest key seals new values; all keys open values. */
  constructor(newest: Buffer, ...former: readonly Buffer[]) {
    const masters = [newest, ...former];
    if (masters.some(({ length }) => length < shortestMasterKeyBytes))
      throw new Error(`SECRETS_KEY must hold at least ${shortestMasterKeyBytes} bytes`);
    this.#masters = masters.filter((key, place) => masters.findIndex((other) => other.equals(key)) === place);
  }

  /** True when a former key is configured, so that stored values may be sealed with it. */
  get hasFormer(): boolean {
    return this.#masters.length > 1;
  }

  keyring(label: KeyLabel): Keyring {
    const all = this.#masters.map((master) => derivedKey(master, label));
    const [newest, oldest] = [all[0], all.at(-1)];
    if (!newest || !oldest) throw new Error("No master key is configured");
    return { newest, oldest, all };
  }

  /** The master keys themselves. Only cursors from before 2026-11-22 were signed with them. */
  get underived(): readonly Buffer[] {
    return this.#masters;
  }
}

function derivedKey(master: Buffer, label: KeyLabel): DerivedKey {
  const bytes = Buffer.from(hkdfSync("sha256", master, "", label, derivedKeyBytes));
  return { id: createHmac("sha256", bytes).update("key id").digest("hex").slice(0, 16), bytes };
}
