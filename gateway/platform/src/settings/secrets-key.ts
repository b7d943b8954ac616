import { createHash, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "@factory/runtime/errors/system-error";
import { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { PlatformEnvironment } from "./environment.js";

type NamedKeys = Pick<PlatformEnvironment, "secretsKey" | "previousSecretsKeys">;

/**
 * Reads the master keys that protect all stored secrets: SECRETS_KEY and SECRETS_KEY_PREVIOUS. In development without
 * SECRETS_KEY, the keys come from DATA_DIR/secrets.key (mode 0600), one key per line, the newest first. A missing file
 * is created.
 */
export async function readMasterKeys(
  { secretsKey, previousSecretsKeys }: NamedKeys,
  dataDir: string,
): Promise<MasterKeys> {
  if (secretsKey !== undefined) return masterKeysOf([secretsKey, ...previousSecretsKeys]);
  const file = fileIn(dataDir);
  return masterKeysOf([...((await linesOf(file)) ?? (await make(file))), ...previousSecretsKeys]);
}

/** The keys in DATA_DIR/secrets.key; undefined without this file. */
export async function keptMasterKeys(dataDir: string): Promise<MasterKeys | undefined> {
  const lines = await linesOf(fileIn(dataDir));
  return lines && masterKeysOf(lines);
}

/** SECRETS_KEY and SECRETS_KEY_PREVIOUS; undefined where neither is set. */
export function namedMasterKeys({ secretsKey, previousSecretsKeys }: NamedKeys): MasterKeys | undefined {
  const namedKeys = [...(secretsKey === undefined ? [] : [secretsKey]), ...previousSecretsKeys];
  return namedKeys.length === 0 ? undefined : masterKeysOf(namedKeys);
}

function masterKeysOf(keys: readonly string[]): MasterKeys {
  const [newest, ...previous] = keys.map((key) => createHash("sha256").update(key).digest());
  if (!newest) throw new Error("No key is given");
  return new MasterKeys(newest, ...previous);
}

const fileIn = (dataDir: string) => join(dataDir, "secrets.key");

async function linesOf(file: string): Promise<string[] | undefined> {
  try {
    return (await readFile(file, "utf8")).trim().split(/\s*\n\s*/);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
    return undefined;
  }
}

async function make(file: string): Promise<string[]> {
  const newKey = randomBytes(32).toString("base64url");
  await writeFile(file, `${newKey}\n`, { mode: 0o600, flag: "wx" });
  return [newKey];
}
