import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { principal, RunningSpine, testSettings, until } from "../running-spine.fixture.js";
import { startSpine } from "../subgraph.js";
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

describe("a new master key", () => {
  it("seals the secret values of all tenants anew at the start, past one that is damaged, and each stays with its key", async () => {
    const tenants = [await platform.activeTenant("sealed-one"), await platform.activeTenant("sealed-two")];
    const set = (tenantId: string, key: string, value: string) =>
      platform.ask(
        principal(tenantId, ["config.manage"]),
        "mutation ($key: ID!, $value: JSON) { setConfiguration(key: $key, input: { value: $value, isSecret: true }) { version } }",
        { key, value },
      );
    for (const tenantId of tenants)
      for (let place = 0; place < 70; place += 1) await set(tenantId, `secret.${place}`, `hush ${place}`);
    const [first = "", second = ""] = tenants;
    await platform.admin.query(
      "update configuration_entries set sealed_value = sealed_value || 'A' where tenant_id = $1 and key = 'secret.3'",
      [decodeId("ten", first)],
    );
    const [former, renewed] = [
      new ConfigurationSecrets(someMasterKeys(1)),
      new ConfigurationSecrets(someMasterKeys(2)),
    ];
    expect(await sealedBy(former.newestKeyId)).toEqual([140, 140]);
    const restarted = await startSpine(platform.host, { ...testSettings, masterKeys: someMasterKeys(2, 1) });
    try {
      await until(async () => String(await sealedBy(renewed.newestKeyId)) === "139,140");
    } finally {
      await restarted.close();
    }
    expect(await sealedBy(former.newestKeyId)).toEqual([1, 0]);
    const { rows } = await platform.admin.query<{ sealed_value: string }>(
      "select sealed_value from configuration_entries where tenant_id = $1 and key = 'secret.7'",
      [decodeId("ten", second)],
    );
    const sealed = rows[0]?.sealed_value ?? "";
    expect(renewed.open(second, "secret.7", sealed).text).toBe('"hush 7"');
    expect(() => renewed.open(first, "secret.7", sealed)).toThrow();
    expect(() => renewed.open(second, "secret.8", sealed)).toThrow();
    expect(() => former.open(second, "secret.7", sealed)).toThrow();
  });
});
