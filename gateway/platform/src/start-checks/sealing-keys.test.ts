import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { ClientBase } from "pg";
import { readMasterKeys } from "../settings/secrets-key.js";
import { storedValues } from "./sealing-keys.js";
import { sealingKeys } from "./sealing-keys-statement.js";

const former = "f".repeat(32);
const other = "o".repeat(32);

describe("the keys of the platform", () => {
  let empty: string;
  /** A DATA_DIR whose key a start has made. */
  let home: string;
  let keptKeys: MasterKeys;

  beforeAll(async () => {
    [empty, home] = [await mkdtemp(join(tmpdir(), "keys-")), await mkdtemp(join(tmpdir(), "keys-"))];
    keptKeys = await readMasterKeys({ secretsKey: undefined, previousSecretsKeys: [] }, home);
  });
  afterAll(async () => {
    for (const folder of [empty, home]) await rm(folder, { recursive: true });
  });

  const idOf = (keys: MasterKeys) => keys.keyring("factory spine signing keys").all[0]?.id ?? "";
  /** A database whose secrets are sealed with the newest of these keys. */
  const sealedWith = (keys: MasterKeys | undefined) =>
    ({
      query: async (text: string) => ({
        rows: text === sealingKeys ? [{ id: keys && idOf(keys) }] : [{ exist: keys !== undefined }],
      }),
    }) as unknown as ClientBase;
  const keysOf = (secretsKey: string) => readMasterKeys({ secretsKey, previousSecretsKeys: [] }, empty);
  const problem = (keys: MasterKeys | undefined, dataDir: string, secretsKey?: string, previous: string[] = []) =>
    storedValues({ dataDir, secretsKey, previousSecretsKeys: previous }, sealedWith(keys));

  it("open the stored secrets, as the newest key, as a former one or from DATA_DIR", async () => {
    const keys = await keysOf(former);
    expect(await problem(keys, empty, former)).toBeUndefined();
    expect(await problem(keys, empty, other, [former])).toBeUndefined();
    expect(await problem(keptKeys, home)).toBeUndefined();
    expect(await problem(undefined, empty)).toBeUndefined();
  });

  it("are refused when they are others, or are missing", async () => {
    expect(await problem(await keysOf(former), empty, other)).toContain("SECRETS_KEY is not the key");
    expect(await problem(await keysOf(former), home)).toContain("DATA_DIR/secrets.key holds other keys than those");
    expect(await problem(keptKeys, empty)).toContain("DATA_DIR/secrets.key is missing: it held the keys");
  });

  it("are refused when SECRETS_KEY is set for the first time without the key from DATA_DIR", async () => {
    expect(await problem(keptKeys, home, other)).toContain("SECRETS_KEY is set for the first time");
  });
});
