import { Listener } from "@factory/runtime/connections/listener";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { principal, RunningSpine, signedIn, until } from "../../running-spine.fixture.js";
import { type SettingRow, storedSettings, TenantSettings } from "./tenant-settings.js";
import { configurationChannel } from "./write-entry.js";

let platform: RunningSpine;
let database: Database;
let tenantId: string;

beforeAll(async () => {
  platform = await RunningSpine.shared();
  database = await platform.openDatabase();
  tenantId = await platform.activeTenant("settled");
});
afterAll(async () => {
  await database?.close();
  await platform?.stop();
});

const key = "signIn.passwordMinLength" as const;

const set = async (value: number, of = tenantId) => {
  const document = `mutation { setConfigEntry(key: "${key}", input: { value: ${value} }) { version } }`;
  const { errors } = await platform.ask(principal(of, ["config.manage"]), document);
  expect(errors).toEqual([]);
};

describe("the settings of a tenant", () => {
  it("have the defaults of the registry until the tenant sets one, and again after it is deleted", async () => {
    const tenant = tenantWithId(tenantId);
    const settings = new TenantSettings(storedSettings(database));
    expect(await settings.get(tenant, key)).toBe(8);
    await set(12);
    // another process learns by a notification; this one is told here
    settings.drop(tenantId);
    expect(await settings.get(tenant, key)).toBe(12);
    const remove = `mutation { deleteConfigEntry(key: "${key}") { key } }`;
    const { errors } = await platform.ask(signedIn(tenantId, ["config.manage"]), remove);
    expect(errors).toEqual([]);
    settings.drop(undefined);
    expect(await settings.get(tenant, key)).toBe(8);
  });

  it("share one read, and do not remember a failed one", async () => {
    let reads = 0;
    const rows = async () => {
      reads += 1;
      if (reads === 1) throw new Error("the database is gone");
      return [{ key, value: "9" }];
    };
    const settings = new TenantSettings(rows);
    const tenant = tenantWithId(tenantId);
    await expect(settings.get(tenant, key)).rejects.toThrow("gone");
    expect(await Promise.all([settings.get(tenant, key), settings.get(tenant, key)])).toEqual([9, 9]);
    expect(reads).toBe(2);
  });

  it("do not remember a read that began before a change", async () => {
    const waiting: ((rows: SettingRow[]) => void)[] = [];
    const rows = () => new Promise<SettingRow[]>((resolve) => waiting.push(resolve));
    const settings = new TenantSettings(rows);
    const tenant = tenantWithId(tenantId);
    const early = settings.get(tenant, key);
    settings.drop(tenantId);
    const late = settings.get(tenant, key);
    waiting[1]?.([{ key, value: "20" }]);
    waiting[0]?.([{ key, value: "10" }]);
    expect([await early, await late, await settings.get(tenant, key)]).toEqual([10, 20, 20]);
  });

  it("fall back to the default where a stored value does not fit the registry any more", async () => {
    const rows = async () => [{ key, value: '"eight"' }];
    const settings = new TenantSettings(rows);
    expect(await settings.get(tenantWithId(tenantId), key)).toBe(8);
  });

  it("are read again by another process after a notification", async () => {
    const tenant = tenantWithId(tenantId);
    const settings = new TenantSettings(storedSettings(database));
    const listener = new Listener(platform.connections.worker, platform.host.logger);
    await listener.start();
    try {
      await listener.on(configurationChannel, (payload) => settings.drop(payload));
      const before = await settings.get(tenant, key);
      await set(before + 1);
      await until(async () => (await settings.get(tenant, key)) === before + 1);
    } finally {
      await listener.close();
    }
  });
});
