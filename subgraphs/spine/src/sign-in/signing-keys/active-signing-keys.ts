import type { Logger } from "@factory/runtime/telemetry/logger";
import type { JSONWebKeySet } from "jose";
import {
  keyRefreshSeconds,
  type LoadedKey,
  type Rotation,
  type RotationRequest,
  type SigningKeyStore,
} from "./signing-key-store.js";

type KeyChangeListener = () => Promise<void>;

/** The signing keys that this process publishes, and the one that signs. Follows the stored keys as they change and as time passes. */
export class ActiveSigningKeys {
  readonly #stored: SigningKeyStore;
  readonly #logger: Logger;
  readonly #listeners = new Set<KeyChangeListener>();
  #sign: (keys: readonly LoadedKey[]) => void = () => undefined;
  #keys: readonly LoadedKey[] = [];
  #published: JSONWebKeySet = { keys: [] };
  #refreshing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(keyStore: SigningKeyStore, logger: Logger) {
    this.#stored = keyStore;
    this.#logger = logger;
  }

  /** The public keys (RFC 7517) that verifiers accept now. */
  get published(): JSONWebKeySet {
    return this.#published;
  }

  /** Calls `sign` with the keys now and whenever they change. The key that signs comes first. */
  async start(sign: (keys: readonly LoadedKey[]) => void): Promise<void> {
    this.#sign = sign;
    await this.#follow();
    this.#timer = setInterval(() => void this.refresh(), keyRefreshSeconds * 1000).unref();
  }

  /** Calls the listener, a verifier in this process, before a new key signs and when an old key is withdrawn. */
  onChange(listener: KeyChangeListener): void {
    this.#listeners.add(listener);
  }

  /** Makes the next key, and publishes it in this process. */
  async rotate(request: RotationRequest): Promise<Rotation> {
    const rotation = await this.#stored.rotate(new Date(Date.now()), request);
    this.#logger.info({ ...rotation, immediately: request.immediately }, "signing keys rotated");
    await this.refresh();
    return rotation;
  }

  /** Reads the stored keys again, one read at a time. If the database does not answer, the current keys stay in use. */
  refresh(): Promise<void> {
    this.#refreshing = this.#refreshing
      .then(() => this.#follow())
      .catch((error: unknown) => {
        this.#logger.warn({ err: error }, "the signing keys could not be read; the next attempt is in a minute");
      });
    return this.#refreshing;
  }

  /** Waits for the current read. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#refreshing;
  }

  async #follow(): Promise<void> {
    const now = new Date(Date.now());
    const keys = inOrderOfUse(await this.#stored.load(now), now);
    if (keys.map(({ keyId }) => keyId).join() === this.#keys.map(({ keyId }) => keyId).join()) return;
    const withdrawn = this.#keys.filter(({ keyId }) => keys.every((key) => key.keyId !== keyId));
    await this.#publish([...keys, ...withdrawn]);
    this.#keys = keys;
    this.#sign(keys);
    if (withdrawn.length === 0) return;
    await this.#publish(keys);
    await this.#stored.deleteRetired(now);
  }

  async #publish(keys: readonly LoadedKey[]): Promise<void> {
    this.#published = { keys: keys.map(({ publicJwk }) => publicJwk) };
    await Promise.all([...this.#listeners].map((listener) => listener()));
  }
}

/**
 * The newest key whose time has come signs. If there is none, because another machine's clock is ahead, the nearest
 * one.
 */
function inOrderOfUse(newestFirst: readonly LoadedKey[], now: Date): LoadedKey[] {
  const signing = newestFirst.find(({ signsFrom }) => signsFrom <= now) ?? newestFirst.at(-1);
  return signing ? [signing, ...newestFirst.filter((key) => key !== signing)] : [];
}
