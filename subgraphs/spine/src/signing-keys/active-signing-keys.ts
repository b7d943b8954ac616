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

/** The keys of this process: which are published, and which one signs. Follows the stored ones as they change and as time passes. */
export class ActiveSigningKeys {
  readonly #stored: SigningKeyStore;
  readonly #logger: Logger;
  readonly #tell = new Set<KeyChangeListener>();
  #sign: (keys: readonly LoadedKey[]) => void = () => undefined;
  #keys: readonly LoadedKey[] = [];
  #published: JSONWebKeySet = { keys: [] };
  #refreshing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(stored: SigningKeyStore, logger: Logger) {
    this.#stored = stored;
    this.#logger = logger;
  }

  get published(): JSONWebKeySet {
    return this.#published;
  }

  /** Hands over the keys, the one that signs first, now and whenever they change. */
  async start(sign: (keys: readonly LoadedKey[]) => void): Promise<void> {
    this.#sign = sign;
    await this.#follow();
    this.#timer = setInterval(() => void this.refresh(), keyRefreshSeconds * 1000).unref();
  }

  /** Verifiers of this process: told before a new key signs, and again once an old one is withdrawn. */
  onChange(told: KeyChangeListener): void {
    this.#tell.add(told);
  }

  async rotate(request: RotationRequest): Promise<Rotation> {
    const rotation = await this.#stored.rotate(new Date(Date.now()), request);
    this.#logger.info({ ...rotation, immediately: request.immediately }, "signing keys rotated");
    await this.refresh();
    return rotation;
  }

  /** One at a time; without the database the keys at hand stay in use. */
  refresh(): Promise<void> {
    this.#refreshing = this.#refreshing
      .then(() => this.#follow())
      .catch((error: unknown) => {
        this.#logger.warn({ err: error }, "signing keys not read, tried again in a minute");
      });
    return this.#refreshing;
  }

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
    await Promise.all([...this.#tell].map((told) => told()));
  }
}

/** The newest whose time has come signs; should none have come, as another machine's clock is ahead, the one that is nearest. */
function inOrderOfUse(newestFirst: readonly LoadedKey[], now: Date): LoadedKey[] {
  const signing = newestFirst.find(({ signsFrom }) => signsFrom <= now) ?? newestFirst.at(-1);
  return signing ? [signing, ...newestFirst.filter((key) => key !== signing)] : [];
}
