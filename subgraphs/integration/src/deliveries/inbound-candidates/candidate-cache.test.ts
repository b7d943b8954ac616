import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Pool } from "pg";
import { CandidateCache } from "./candidate-cache.js";
import { keysOfTenants } from "./candidate-statement.js";

const uuid = (prefix: "ten" | "prv" | "crd") => decodeId(prefix, newId(prefix)) ?? "";
const driver = JSON.stringify({ webhook: { scheme: { kind: "token", header: "x-token" } } });

function aRow(changes: Record<string, unknown> = {}) {
  const provider = { tenant_id: uuid("ten"), provider_id: uuid("prv"), key: "vendorx", preset: null, driver };
  const resource = { subscription_id: null, connection_id: null, credential_id: uuid("crd") };
  return { ...provider, ...resource, account: null, takes_part: true, ...changes };
}

/** A cache over a database in which all keys but one are unknown, and only one account is held. */
function aCache() {
  const queries: string[] = [];
  const query = async (text: string, [key, account]: unknown[]) => {
    queries.push(text);
    if (text === keysOfTenants) return { rows: [] };
    const isKnown = key === "vendorx" && (account === undefined || account === "acct");
    return { rows: isKnown ? [aRow(), aRow()] : [] };
  };
  return { cache: new CandidateCache({ query } as unknown as Pool), asked: queries };
}

const ofAccount = (value: string) => ({ kind: "account", value }) as const;

it("reads the tenants of a vendor once for all accounts, and one statement for each account", async () => {
  const { cache, asked } = aCache();
  const knownSet = await cache.read("vendorx", ofAccount("acct"));
  expect([knownSet.candidates.length, knownSet.claims.length, asked.length]).toEqual([2, 2, 3]);
  for (const name of ["a", "b", "c"]) {
    const inventedSet = await cache.read("vendorx", ofAccount(name));
    expect(inventedSet.candidates).toEqual([]);
    expect(inventedSet.claims).toBe(knownSet.claims);
  }
  expect(asked).toHaveLength(6);
});

it("knows what it holds and what it reads, and reads once for requests at the same time", async () => {
  const { cache, asked } = aCache();
  expect(cache.peek("vendorx", ofAccount("acct"))).toBeUndefined();
  const reading = cache.read("vendorx", undefined);
  expect(cache.peek("vendorx", undefined)).toBeDefined();
  expect(await cache.peek("vendorx", undefined)).toBe(await reading);
  expect(cache.peek("vendorx", ofAccount("acct"))).toBeUndefined();
  await cache.read("vendorx", ofAccount("acct"));
  expect((await cache.peek("vendorx", ofAccount("acct")))?.candidates).toHaveLength(2);
  expect(asked).toHaveLength(3);
});

it("tenants with equal drivers share one", async () => {
  const { cache } = aCache();
  const { candidates, claims } = await cache.read("vendorx", undefined);
  expect(new Set([...candidates, ...claims].map((holder) => holder.driver)).size).toBe(1);
});

it("looks up the tenants of many notices together, and drops their sets", async () => {
  const { cache, asked } = aCache();
  let notice = (_tenant?: string): void => undefined;
  await cache.listen({ on: async (_channel, wake) => void (notice = wake) });
  const { candidates } = await cache.read("vendorx", undefined);
  await cache.read("other", undefined);
  asked.length = 0;
  for (let count = 0; count < 50; count += 1) notice(uuid("ten"));
  notice(candidates[0]?.tenant.uuid);
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toHaveLength(2);
  expect(cache.peek("vendorx", undefined)).toBeUndefined();
  expect(cache.peek("other", undefined)).toBeDefined();
});

it("does not keep a read that began before a notice, whether it finds tenants or none", async () => {
  for (const key of ["vendorx", "other"]) {
    const { cache, asked } = aCache();
    let notice = (_tenant?: string): void => undefined;
    await cache.listen({ on: async (_channel, wake) => void (notice = wake) });
    for (const tenant of [uuid("ten"), undefined]) {
      const early = cache.read(key, undefined);
      notice(tenant);
      expect(cache.peek(key, undefined)).toBeUndefined();
      await early;
      expect(cache.peek(key, undefined)).toBeUndefined();
    }
    await cache.read(key, undefined);
    const count = asked.length;
    await cache.read(key, undefined);
    expect(asked).toHaveLength(count);
  }
});

it("invented accounts displace no sets with tenants", async () => {
  const { cache } = aCache();
  await cache.read("vendorx", ofAccount("acct"));
  for (let count = 0; count < 12_000; count += 1) await cache.read("vendorx", ofAccount(`invented ${count}`));
  expect(cache.peek("vendorx", ofAccount("acct"))).toBeDefined();
  expect(cache.peek("vendorx", ofAccount("invented 0"))).toBeUndefined();
  expect(cache.peek("vendorx", ofAccount("invented 11999"))).toBeDefined();
});
