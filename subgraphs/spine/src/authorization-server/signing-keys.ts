import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from "jose";
import type { Pool } from "pg";
import { seal, unseal } from "./seal.js";

export interface LoadedKey {
  readonly keyId: string;
  /** As published: kid, alg and use included. */
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
}

interface KeyRow {
  key_id: string;
  sealed_private_key: string;
}

const newest = "select key_id, sealed_private_key from signing_keys order by created_at desc, key_id";
/** Two processes that start together make one key. */
const creationLock = 4_000_010;

/** Newest first: it signs, the others are published as long as tokens of theirs live. Makes the first one if need be. */
export async function loadSigningKeys(pool: Pool, sealingKey: Buffer): Promise<LoadedKey[]> {
  const { rows } = await pool.query<KeyRow>(newest);
  const found = rows.length > 0 ? rows : await createFirst(pool, sealingKey);
  return found.map((row) => openKey(row, sealingKey));
}

async function createFirst(pool: Pool, sealingKey: Buffer): Promise<KeyRow[]> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [creationLock]);
    const { rowCount } = await client.query(newest);
    if (rowCount === 0) {
      const { privateKey } = await generateKeyPair("ES256", { extractable: true });
      const { d, ...publicKey } = await exportJWK(privateKey);
      const keyId = await calculateJwkThumbprint(publicKey);
      const sealed = seal(sealingKey, JSON.stringify({ ...publicKey, d }), keyId);
      await client.query(
        "insert into signing_keys (key_id, public_key, sealed_private_key, created_at) values ($1, $2, $3, now())",
        [keyId, JSON.stringify(publicKey), sealed],
      );
    }
    const { rows } = await client.query<KeyRow>(newest);
    await client.query("commit");
    return rows;
  } finally {
    await client.query("rollback").catch(() => undefined);
    client.release();
  }
}

function openKey({ key_id: keyId, sealed_private_key: sealed }: KeyRow, sealingKey: Buffer): LoadedKey {
  const { d, ...publicKey } = JSON.parse(opened(sealed, keyId, sealingKey)) as JWK;
  const published = { ...publicKey, kid: keyId, alg: "ES256", use: "sig" };
  return { keyId, publicJwk: published, privateJwk: d === undefined ? published : { ...published, d } };
}

function opened(sealed: string, keyId: string, sealingKey: Buffer): string {
  try {
    return unseal(sealingKey, sealed, keyId);
  } catch (cause) {
    throw new Error(`Signing key ${keyId} cannot be opened: SECRETS_KEY is not the one it was sealed with`, { cause });
  }
}
