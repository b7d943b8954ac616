import { resolve } from "node:path";
import { systemErrorCode } from "@factory/runtime/errors/system-error";
import { insufficientPrivilege } from "@factory/runtime/provisioning/missing-right";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { ClientBase } from "pg";
import type { PlatformEnvironment } from "../settings/environment.js";
import { keptMasterKeys, namedMasterKeys } from "../settings/secrets-key.js";
import { sealingKeys, signingKeysExist } from "./sealing-keys-statement.js";

type KeySettings = Pick<PlatformEnvironment, "dataDir" | "secretsKey" | "previousSecretsKeys">;

/** A DatabaseCheck: the configured keys open the stored secrets. */
export async function storedValues(environment: KeySettings, admin: ClientBase): Promise<string | undefined> {
  const ids = await idsOfSealingKeys(admin);
  const dataDir = resolve(environment.dataDir);
  const keptKeys = await keptMasterKeys(dataDir);
  const namedKeys = namedMasterKeys(environment);
  const opens = (id: string) => holds(namedKeys, id) || (environment.secretsKey === undefined && holds(keptKeys, id));
  if (ids.every(opens)) return undefined;
  if (environment.secretsKey === undefined)
    return `DATA_DIR/secrets.key ${keptKeys ? "holds other keys than those" : "is missing: it held the keys"} under which the database stores secrets. Put the former file back into ${dataDir}, or set SECRETS_KEY to its first line.`;
  if (ids.every((id) => holds(namedKeys, id) || holds(keptKeys, id)))
    return `SECRETS_KEY is set for the first time, and the database stores secrets under the keys of ${dataDir}/secrets.key. Set SECRETS_KEY to the first line of that file, or SECRETS_KEY_PREVIOUS to its lines with commas between them.`;
  return "SECRETS_KEY is not the key under which the database stores secrets. Set SECRETS_KEY to its former value, or add that value to SECRETS_KEY_PREVIOUS.";
}

const holds = (keys: MasterKeys | undefined, id: string): boolean =>
  keys?.keyring("factory spine signing keys").all.some((key) => key.id === id) ?? false;

async function idsOfSealingKeys(admin: ClientBase): Promise<string[]> {
  const { rows } = await admin.query<{ exist: boolean }>(signingKeysExist);
  if (!rows[0]?.exist) return [];
  try {
    return (await admin.query<{ id: string }>(sealingKeys)).rows.map(({ id }) => id);
  } catch (error) {
    // an administrator without this right: the spine refuses the key later
    if (systemErrorCode(error) === insufficientPrivilege) return [];
    throw error;
  }
}
