import { maxLifetimeSeconds } from "@factory/runtime/auth/token-claims";
import { advisoryLocks } from "@factory/runtime/db/advisory-locks";
import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { OpenedValue, ValueSeal } from "@factory/runtime/sealing/value-seal";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { type WorkerTransaction, workerTransaction } from "@factory/runtime/unit-of-work/worker-transaction";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from "jose";
import type { Pool } from "pg";
import { platformTenant } from "../../tenants/tenants/platform-tenant.js";
import { SigningKey } from "./signing-key.entity.js";

/** A signing key with its private part. */
export interface LoadedKey {
  readonly keyId: string;
  /** The public key with kid, alg and use, as it is published. */
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
  readonly signsFrom: Date;
  /** Until when the key is published; null for the newest key. */
  readonly retiresAt: Date | null;
}

const keyMembers = ["keyId", "sealedPrivateKey", "signsFrom", "retiresAt"] as const;

type KeyRow = RowOf<SigningKey, (typeof keyMembers)[number]>;
type StoredKey = RecordOf<SigningKey, (typeof keyMembers)[number]>;

const readKey = rowReader(SigningKey);

/** A rotation's result. */
export interface Rotation {
  /** The `kid` for the key that signs next. */
  readonly keyId: string;
  readonly signsFrom: Date;
}

/** How long verifiers may cache the key set, in seconds. */
export const keySetMaxAgeSeconds = 600;
/** Every process reads the keys again at least this often, in case a notification is lost. */
export const keyRefreshSeconds = 60;
const publishedBeforeSeconds = keySetMaxAgeSeconds + keyRefreshSeconds;
const publishedAfterSeconds = maxLifetimeSeconds + keyRefreshSeconds;
const rotatedAfterDays = 90;

/** A rotation that a caller asks for. */
export interface RotationRequest {
  /** For a leaked key: the next key signs at once, and the other keys are withdrawn. */
  readonly immediately: boolean;
  readonly cause: Cause;
}

/** PostgreSQL channel for changed keys. */
export const signingKeysChannel = "spine_signing_keys";

/** Changes the row only if it still holds what was read: another process may have resealed it, too. */
const reseal = "update signing_keys set sealed_private_key = $3 where key_id = $1 and sealed_private_key = $2";

const current = `select ${columnsOf(SigningKey, keyMembers)} from signing_keys
  where retires_at is null or retires_at > $1 order by signs_from desc, key_id`;

const addKey = namedStatement(
  "add_signing_key",
  `insert into signing_keys (key_id, public_key, sealed_private_key, created_at, signs_from)
   values ($keyId, $publicKey, $sealed, now(), $signsFrom)`,
);

/** The stored signing keys: sealed, each with the times from which it signs and at which it retires. */
export class SigningKeyStore {
  readonly #pool: Pool;
  readonly #seal: ValueSeal;

  /** `pool` connects as the spine's worker role. */
  constructor(pool: Pool, seal: ValueSeal) {
    this.#pool = pool;
    this.#seal = seal;
  }

  /** All published keys, newest first. Makes the first key, and the next one when the newest is 90 days old. */
  async load(now: Date): Promise<LoadedKey[]> {
    const keys = await this.#current(now);
    const [newest] = keys;
    if (newest && !isOld(newest, now)) return this.#opened(keys);
    const cause = { trace: continueTrace(undefined), actorId: "authorization-server" };
    await this.#withLock(cause, async (transaction) => {
      const [row] = await transaction.execute<KeyRow>(current, [now]);
      if (!row) await this.#add(transaction, now);
      else if (isOld(readKey(row), now))
        await this.#addSuccessor(transaction, now, { inSeconds: publishedBeforeSeconds, reason: "Age" });
    });
    return this.#opened(await this.#current(now));
  }

  async #current(now: Date): Promise<StoredKey[]> {
    return (await this.#pool.query<KeyRow>(current, [now])).rows.map(readKey);
  }

  /**
   * Makes the next key. It is published before it signs, long enough for every verifier to know it; the other keys stay
   * published while their tokens can be alive. A rotation for a leaked key takes effect at once: tokens with the other
   * keys are refused from now on.
   */
  async rotate(now: Date, { immediately, cause }: RotationRequest): Promise<Rotation> {
    return this.#withLock(cause, async (transaction) => {
      const rotation = await this.#requestedKey(transaction, now, immediately);
      transaction.audit({ operation: "rotateSigningKeys", subject: `signing-keys/${rotation.keyId}` });
      return rotation;
    });
  }

  async #requestedKey(transaction: WorkerTransaction, now: Date, immediately: boolean): Promise<Rotation> {
    if (immediately) return this.#addSuccessor(transaction, now, { inSeconds: 0, reason: "Requested" });
    const [row] = await transaction.execute<KeyRow>(current, [now]);
    const newest = row && readKey(row);
    // a key that is published and does not sign yet is this rotation's result, too
    if (newest && newest.signsFrom > now) return { keyId: newest.keyId, signsFrom: newest.signsFrom };
    return this.#addSuccessor(transaction, now, { inSeconds: publishedBeforeSeconds, reason: "Requested" });
  }

  /** Deletes keys whose tokens have all expired. */
  async deleteRetired(now: Date): Promise<void> {
    await this.#pool.query("delete from signing_keys where retires_at <= $1", [now]);
  }

  async #addSuccessor(
    transaction: WorkerTransaction,
    now: Date,
    { inSeconds, reason }: { inSeconds: number; reason: "Requested" | "Age" },
  ): Promise<Rotation> {
    const signsFrom = after(now, inSeconds);
    const othersRetire = inSeconds === 0 ? now : after(signsFrom, publishedAfterSeconds);
    await transaction.execute("update signing_keys set retires_at = least(retires_at, $1)", [othersRetire]);
    const rotation = await this.#add(transaction, signsFrom);
    transaction.record({
      type: "SigningKeyRotated",
      subject: `signing-keys/${rotation.keyId}`,
      data: {
        tenantId: platformTenantId,
        keyId: rotation.keyId,
        signsFrom: signsFrom.toISOString(),
        othersRetireAt: othersRetire.toISOString(),
        reason,
      },
    });
    return rotation;
  }

  async #add({ execute }: WorkerTransaction, signsFrom: Date): Promise<Rotation> {
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const { d, ...publicKey } = await exportJWK(privateKey);
    const keyId = await calculateJwkThumbprint(publicKey);
    const sealedKey = this.#seal.seal(JSON.stringify({ ...publicKey, d }), keyId);
    const values = addKey.valuesOf({ keyId, publicKey: JSON.stringify(publicKey), sealed: sealedKey, signsFrom });
    await execute(addKey, values);
    return { keyId, signsFrom };
  }

  #withLock<T>(cause: Cause, work: (transaction: WorkerTransaction) => Promise<T>): Promise<T> {
    return workerTransaction({ pool: this.#pool, schema: "spine" }, platformTenant, cause, async (transaction) => {
      await transaction.execute("select pg_advisory_xact_lock($1)", [advisoryLocks.signingKeys]);
      transaction.notify(signingKeysChannel);
      return work(transaction);
    });
  }

  async #opened(storedKeys: readonly StoredKey[]): Promise<LoadedKey[]> {
    const keys: LoadedKey[] = [];
    for (const { keyId, sealedPrivateKey: sealedKey, signsFrom, retiresAt } of storedKeys) {
      const { text, resealed } = opened(sealedKey, keyId, this.#seal);
      if (resealed !== undefined) await this.#pool.query(reseal, [keyId, sealedKey, resealed]);
      const { d, ...publicKey } = JSON.parse(text) as JWK;
      const publicJwk = { ...publicKey, kid: keyId, alg: "ES256", use: "sig" };
      keys.push({
        keyId,
        publicJwk,
        privateJwk: d === undefined ? publicJwk : { ...publicJwk, d },
        signsFrom,
        retiresAt,
      });
    }
    return keys;
  }
}

const after = (time: Date, seconds: number) => new Date(time.getTime() + seconds * 1000);

const isOld = ({ signsFrom }: StoredKey, now: Date) =>
  now.getTime() - signsFrom.getTime() >= rotatedAfterDays * 86_400_000;

function opened(sealedKey: string, keyId: string, seal: ValueSeal): OpenedValue {
  try {
    return seal.open(sealedKey, keyId);
  } catch (cause) {
    throw new Error(
      `Signing key ${keyId} cannot be opened with the configured SECRETS_KEY. Start with the key that it was sealed with`,
      { cause },
    );
  }
}
