import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { isEnvelopeText } from "@factory/runtime/sealing/envelope-seal";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { ValueSeal } from "@factory/runtime/sealing/value-seal";
import { principal, RunningSpine, testSettings, until } from "../../running-spine.fixture.js";
import { startSpine } from "../../subgraph.js";
import { ConfigurationSecrets } from "./configuration-secrets.js";

let platform: RunningSpine;
beforeAll(async () => {
  platform = await RunningSpine.start({ masterKeys: someMasterKeys(1) });
});
afterAll(() => platform?.stop());

const tables = ["configuration_entries", "configuration_versions"];

async function sealedBy(keyId: string): Promise<number[]> {
  const counts = tables.map(async (table) => {
    const { rows } = await platform.admin.query<{ count: number }>(
      `select count(*)::int as count from ${table} where sealed_value like $1`,
      [`${keyId}.%`],
    );
    return rows[0]?.count ?? 0;
  });
  return Promise.all(counts);
}

describe("a value of a release before data keys", () => {
  it("opens, is restored, and is sealed anew with a data key at a rewrap, also under the same master key", async () => {
    const tenantId = await platform.activeTenant("sealed-before");
    const manager = principal(tenantId, ["config.manage"]);
    const change = (field: string, version?: number) =>
      platform.ask(
        manager,
        version === undefined
          ? `mutation { ${field}(key: "old.secret", input: { value: "of before", isSecret: true }) { version } }`
          : `mutation { ${field}(key: "old.secret", version: ${version}) { version } }`,
      );
    await change("setConfigEntry");
    const seal = new ValueSeal(someMasterKeys(1).keyring("factory spine configuration"));
    for (const table of tables)
      await platform.admin.query(`update ${table} set sealed_value = $2 where tenant_id = $1`, [
        decodeId("ten", tenantId),
        seal.seal('"of before"', `${tenantId}|old.secret`),
      ]);
    await change("restoreConfigEntry", 1);
    const results = await platform.spine.resealer.run();
    const configurationResults = results.filter(({ label }) => label === "factory spine configuration");
    expect(configurationResults.map(({ renewed, left }) => [renewed, left])).toEqual([
      [0, 0],
      [1, 0],
    ]);
    const { rows } = await platform.admin.query<{ version: number; sealed_value: string }>(
      "select version, sealed_value from configuration_versions where tenant_id = $1 order by version",
      [decodeId("ten", tenantId)],
    );
    const secrets = new ConfigurationSecrets(someMasterKeys(1));
    expect(rows.map(({ sealed_value: sealedText }) => isEnvelopeText(sealedText))).toEqual([true, true]);
    for (const { version, sealed_value: sealedText } of rows)
      expect(secrets.open({ tenantId, key: "old.secret", version }, sealedText)).toBe('"of before"');
  });
});

describe("a new master key", () => {
  it("seals the secret values of all tenants anew at the start, past one that is damaged, and each stays with its key", async () => {
    const tenants = [await platform.activeTenant("sealed-one"), await platform.activeTenant("sealed-two")];
    const set = (tenantId: string, key: string, value: string) =>
      platform.ask(
        principal(tenantId, ["config.manage"]),
        "mutation ($key: ID!, $value: JSON) { setConfigEntry(key: $key, input: { value: $value, isSecret: true }) { version } }",
        { key, value },
      );
    for (const tenantId of tenants)
      for (let place = 0; place < 70; place += 1) await set(tenantId, `secret.${place}`, `hush ${place}`);
    const [first = "", second = ""] = tenants;
    await platform.admin.query(
      "update configuration_entries set sealed_value = sealed_value || 'A' where tenant_id = $1 and key = 'secret.3'",
      [decodeId("ten", first)],
    );
    const [former, renewedText] = [
      new ConfigurationSecrets(someMasterKeys(1)),
      new ConfigurationSecrets(someMasterKeys(2)),
    ];
    const before = await sealedBy(former.newestKeyId);
    expect(before).toEqual([141, 142]);
    const restartedSpine = await startSpine(platform.host, { ...testSettings, masterKeys: someMasterKeys(2, 1) });
    try {
      await until(async () => String(await sealedBy(renewedText.newestKeyId)) === "140,142");
    } finally {
      await restartedSpine.close();
    }
    expect(await sealedBy(former.newestKeyId)).toEqual([1, 0]);
    const { rows } = await platform.admin.query<{ sealed_value: string }>(
      "select sealed_value from configuration_entries where tenant_id = $1 and key = 'secret.7'",
      [decodeId("ten", second)],
    );
    const sealedText = rows[0]?.sealed_value ?? "";
    const owner = { tenantId: second, key: "secret.7", version: 1 };
    expect(renewedText.open(owner, sealedText)).toBe('"hush 7"');
    for (const other of [{ tenantId: first }, { key: "secret.8" }, { version: 2 }])
      expect(() => renewedText.open({ ...owner, ...other }, sealedText)).toThrow();
    expect(() => former.open(owner, sealedText)).toThrow(expect.objectContaining({ code: "SECRET_STORE_UNAVAILABLE" }));
  });
});
