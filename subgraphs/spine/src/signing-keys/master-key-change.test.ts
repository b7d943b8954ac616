import { createCipheriv } from "node:crypto";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { ValueSeal } from "@factory/runtime/sealing/value-seal";
import { RunningSpine, testSettings } from "../running-spine.fixture.js";
import { startSpine } from "../subgraph.js";

let platform: RunningSpine;

beforeAll(async () => {
  platform = await RunningSpine.start({ masterKeys: someMasterKeys(7) });
});
afterAll(() => platform.stop());

const sealedKeys = async () =>
  (await platform.admin.query<{ sealed: string }>("select sealed_private_key as sealed from signing_keys")).rows.map(
    ({ sealed }) => sealed,
  );
const startsWith = async (...numbers: [number, ...number[]]) => {
  const spine = await startSpine(platform.host, { ...testSettings, masterKeys: someMasterKeys(...numbers) });
  await spine.close();
  return spine.bootstrap;
};
const keyIdOf = (number: number) => someMasterKeys(number).keyring("factory spine signing keys").newest.id;

describe("signing keys and the administrator's client", () => {
  it("that an earlier release sealed without a key id are resealed when they are read", async () => {
    const { rows } = await platform.admin.query("select key_id, sealed_private_key as sealed from signing_keys");
    const [{ key_id: keyId, sealed }] = rows;
    const keys = someMasterKeys(7).keyring("factory spine signing keys");
    const { text } = new ValueSeal(keys).open(sealed, keyId);
    const cipher = createCipheriv("aes-256-gcm", keys.newest.bytes, Buffer.alloc(12, 1)).setAAD(Buffer.from(keyId));
    const body = Buffer.concat([cipher.update(text), cipher.final()]);
    const former = Buffer.concat([Buffer.alloc(12, 1), cipher.getAuthTag(), body]).toString("base64url");
    await platform.admin.query("update signing_keys set sealed_private_key = $1", [former]);
    await startsWith(7);
    const [resealed = ""] = await sealedKeys();
    expect(resealed).not.toBe(former);
    expect(new ValueSeal(keys).open(resealed, keyId)).toEqual({ text, resealed: undefined });
  });

  it("survive a new master key, and then do without the former one", async () => {
    const { clientId, clientSecret } = platform.spine.bootstrap;
    expect(await startsWith(8, 7)).toEqual({ clientId, clientSecret });
    expect(await sealedKeys()).toEqual([expect.stringMatching(`^${keyIdOf(8)}\\.`)]);
    // the secret is still valid, but cannot be derived any longer
    expect(await startsWith(8)).toEqual({ clientId });
    await expect(startsWith(7)).rejects.toThrow(/cannot be opened with the configured SECRETS_KEY/);
  });
});
