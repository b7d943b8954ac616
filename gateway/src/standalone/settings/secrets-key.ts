import { createHash, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { PlatformEnvironment } from "./environment.js";

/**
 * Reads the master keys that protect all stored secrets: SECRETS_KEY and SECRETS_KEY_PREVIOUS. In development without
 * SECRETS_KEY, the keys come from DATA_DIR/secrets.key (mode 0600), one key per line, the newest first. A missing file
 * is created.
 */
export async function readMasterKeys(
  { secretsKey, previousSecretsKeys }: Pick<PlatformEnvironment, "secretsKey" | "previousSecretsKeys">,
  dataDir: string,
): Promise<MasterKeys> {
  const given = secretsKey === undefined ? await keptKeys(join(dataDir, "secrets.key")) : [secretsKey];
  const [newest, ...previous] = [...given, ...previousSecretsKeys].map((key) =>
    createHash("sha256").update(key).digest(),
  );
  if (!newest) throw new Error("DATA_DIR/secrets.key is empty");
  return new MasterKeys(newest, ...previous);
}

async function keptKeys(file: string): Promise<string[]> {
  try {
    return (await readFile(file, "utf8")).trim().split(/\s*\n\s*/);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const made = randomBytes(32).toString("base64url");
  await writeFile(file, `${made}\n`, { mode: 0o600, flag: "wx" });
  return [made];
}
