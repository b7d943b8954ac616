import { createHmac, hkdfSync } from "node:crypto";

/**
 * One label for each purpose: what is sealed under one opens under no other. A label is the `info` of HKDF and never
 * changes. New ones begin with `factory`, the subgraph's name and the purpose.
 */
export type KeyLabel =
  | "factory catalog list cursors"
  | "list cursors" // of integration
  | "credential key wrapping"
  | "credential digest"
  | "factory spine list cursors"
  | "factory spine client secrets"
  | "factory spine signing keys"
  | "factory spine cookies"
  | "factory spine forms"
  | "factory spine invitation tokens";

/** 256 bits for one purpose, from one master key. */
export interface DerivedKey {
  /** 16 hexadecimal characters that stand beside what the key has sealed. They tell nothing about the key. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** The keys for one purpose. */
export interface Keyring {
  /** Seals. */
  readonly newest: DerivedKey;
  readonly oldest: DerivedKey;
  /** Open; newest first. */
  readonly all: readonly DerivedKey[];
}

const derivedKeyBytes = 32;
const shortestMasterKeyBytes = 32;

/**
 * SECRETS_KEY and those that came before it. Every key in use is derived from them by HKDF-SHA-256 (RFC 5869) without a
 * salt, which the RFC permits (section 3.1) because a master key is uniformly random.
 */
export class MasterKeys {
  readonly #masters: readonly Buffer[];

  /** The newest seals, all of them open. */
  constructor(newest: Buffer, ...former: readonly Buffer[]) {
    const masters = [newest, ...former];
    if (masters.some(({ length }) => length < shortestMasterKeyBytes))
      throw new Error(`SECRETS_KEY must hold at least ${shortestMasterKeyBytes} bytes`);
    this.#masters = masters.filter((key, place) => masters.findIndex((other) => other.equals(key)) === place);
  }

  keyring(label: KeyLabel): Keyring {
    const all = this.#masters.map((master) => derivedKey(master, label));
    const [newest, oldest] = [all[0], all.at(-1)];
    if (!newest || !oldest) throw new Error("No master key is configured");
    return { newest, oldest, all };
  }

  /** The master keys as they are: for the cursors that the catalog signed with them until 2026-11-22. */
  get underived(): readonly Buffer[] {
    return this.#masters;
  }
}

function derivedKey(master: Buffer, label: KeyLabel): DerivedKey {
  const bytes = Buffer.from(hkdfSync("sha256", master, "", label, derivedKeyBytes));
  return { id: createHmac("sha256", bytes).update("key id").digest("hex").slice(0, 16), bytes };
}
