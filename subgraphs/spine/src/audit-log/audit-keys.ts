import { advisoryLocks } from "@factory/runtime/db/advisory-locks";
import { columnsOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import type { ValueSeal } from "@factory/runtime/sealing/value-seal";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from "jose";
import type { Pool, PoolClient } from "pg";
import { AuditKeyRow } from "./audit-key.entity.js";

/** An audit log key with its private part. */
export interface AuditKey {
  /** The public key's RFC 7638 thumbprint, which is the `kid` in its seals. */
  readonly keyId: string;
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
  readonly createdAt: Date;
}

const readKey = rowReader(AuditKeyRow);

const usedForMs = 365 * 24 * 60 * 60_000;
const allKeys = `select ${columnsOf(AuditKeyRow)} from audit_keys order by created_at desc, key_id`;

/**
 * The keys that sign seals. They are not the token keys, which are deleted after their rotation: an audit log key signs
 * for a year and is kept for ever. The next key is made when it is needed.
 */
export class AuditKeys {
  readonly #pool: Pool;
  readonly #seal: ValueSeal;
  #keys: readonly AuditKey[] = [];

  /** `pool` connects as the worker role. */
  constructor(pool: Pool, seal: ValueSeal) {
    this.#pool = pool;
    this.#seal = seal;
  }

  /** Reads the stored keys, and seals them again where a former master key sealed them. */
  async load(): Promise<void> {
    this.#keys = await this.#read(this.#pool);
  }

  /** The key that signs now. */
  async signing(now: Date): Promise<AuditKey> {
    const [newest] = this.#keys;
    if (newest && now.getTime() - newest.createdAt.getTime() < usedForMs) return newest;
    const client = await this.#pool.connect();
    let isBroken = true;
    try {
      await client.query("begin");
      await client.query("select pg_advisory_xact_lock($1)", [advisoryLocks.auditKeys]);
      const [newestKey, ...others] = await this.#read(client);
      const usable = newestKey && now.getTime() - newestKey.createdAt.getTime() < usedForMs;
      const key = usable ? newestKey : await this.#create(client, now);
      await client.query("commit");
      isBroken = false;
      this.#keys = usable || !newestKey ? [key, ...others] : [key, newestKey, ...others];
      return key;
    } finally {
      if (isBroken) await client.query("rollback").catch(() => undefined);
      client.release();
    }
  }

  /** The public keys, the newest first. */
  get published(): readonly JWK[] {
    return this.#keys.map(({ publicJwk }) => publicJwk);
  }

  /** The public key with this id; undefined if the platform has none. Another process may just have made it. */
  async verification(keyId: string): Promise<JWK | undefined> {
    const find = () => this.#keys.find((key) => key.keyId === keyId)?.publicJwk;
    const keyInMemory = find();
    if (keyInMemory) return keyInMemory;
    await this.load();
    return find();
  }

  async #read(from: Pool | PoolClient): Promise<AuditKey[]> {
    const { rows } = await from.query<RowOf<AuditKeyRow>>(allKeys);
    const keys: AuditKey[] = [];
    for (const { keyId, sealedKey: sealedText, createdAt } of rows.map(readKey)) {
      const { text, resealed } = this.#seal.open(sealedText, keyId);
      if (resealed !== undefined)
        await from.query("update audit_keys set sealed_key = $3 where key_id = $1 and sealed_key = $2", [
          keyId,
          sealedText,
          resealed,
        ]);
      keys.push(auditKey(keyId, JSON.parse(text) as JWK, createdAt));
    }
    return keys;
  }

  async #create(client: PoolClient, now: Date): Promise<AuditKey> {
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const { d, ...publicKey } = await exportJWK(privateKey);
    const keyId = await calculateJwkThumbprint(publicKey);
    const sealedKey = this.#seal.seal(JSON.stringify({ ...publicKey, d }), keyId);
    await client.query("insert into audit_keys (key_id, sealed_key, created_at) values ($1, $2, $3)", [
      keyId,
      sealedKey,
      now,
    ]);
    return auditKey(keyId, { ...publicKey, ...(d === undefined ? {} : { d }) }, now);
  }
}

function auditKey(keyId: string, privateJwk: JWK, createdAt: Date): AuditKey {
  const { d: _, ...publicKey } = privateJwk;
  const publicJwk = { ...publicKey, kid: keyId, alg: "ES256", use: "sig" };
  return { keyId, publicJwk, privateJwk: { ...privateJwk, alg: "ES256" }, createdAt };
}
