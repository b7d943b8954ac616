import { createDecipheriv, createHash, createPrivateKey, hkdfSync, type KeyObject, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeProtectedHeader } from "jose";
import { rows } from "./database.js";
import { platform } from "./platform.js";

/** The key with which the platform signs tokens. A test can sign a token that has exactly one wrong claim. */
export interface RealKey {
  readonly keyId: string;
  /** Signs a token with this header and these claims. Text and bytes are used unchanged. */
  token(header: object | string, claims: object | string | Uint8Array): string;
}

interface KeyRow {
  sealed_private_key: string;
}

export const encoded = (part: object | string | Uint8Array): string =>
  Buffer.from(typeof part === "string" || part instanceof Uint8Array ? part : JSON.stringify(part)).toString(
    "base64url",
  );

/** The key that signed this token, opened with the secret in the platform's data directory. */
export async function realKey(signedWithIt: string): Promise<RealKey> {
  const keyId = String(decodeProtectedHeader(signedWithIt).kid);
  const [row] = await rows<KeyRow>("select sealed_private_key from spine.signing_keys where key_id = $1", [keyId]);
  if (!row) throw new Error(`The platform has no signing key ${keyId}`);
  const key = createPrivateKey({ key: JSON.parse(await opened(row.sealed_private_key, keyId)), format: "jwk" });
  return {
    keyId,
    token(header, claims) {
      const content = `${encoded(header)}.${encoded(claims)}`;
      return `${content}.${signed(content, key)}`;
    },
  };
}

export const signed = (content: string, key: KeyObject): string =>
  sign("sha256", Buffer.from(content), { key, dsaEncoding: "ieee-p1363" }).toString("base64url");

async function opened(sealedKey: string, keyId: string): Promise<string> {
  const secret = (await readFile(join(platform().dataDir, "secrets.key"), "utf8")).trim();
  const master = createHash("sha256").update(secret).digest();
  const key = Buffer.from(hkdfSync("sha256", master, "", "factory spine signing keys", 32));
  const bytes = Buffer.from(sealedKey.slice(sealedKey.indexOf(".") + 1), "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12)).setAAD(Buffer.from(keyId));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return decipher.update(bytes.subarray(28), undefined, "utf8") + decipher.final("utf8");
}
