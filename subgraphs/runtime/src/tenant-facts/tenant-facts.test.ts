import { newId } from "../identifiers/wire-id.js";
import { createLogger } from "../telemetry/logger.js";
import { EditionFacts } from "./edition-facts.js";
import type { ProjectionStore } from "./projection-store.js";
import type { TenantCopy } from "./tenant-copy.js";
import { TenantFacts } from "./tenant-facts.js";

const tenantId = newId("ten");

function aCopy(version: number): TenantCopy {
  const facts = { slug: "acme", status: "Active", editionCode: "Free", subscriptionStatus: "Active" };
  return { tenantId, version, ...facts, settings: {}, limits: { rateLimitFactor: version } };
}

/** The facts over a table whose reads end when `answer` is called. */
function factsOfStore() {
  const waiting: { resolve: (copy: TenantCopy) => void; reject: (error: Error) => void }[] = [];
  const store = {
    tenant: () => new Promise((resolve, reject) => waiting.push({ resolve, reject })),
    editions: async () => [{ code: "Free", version: 1, features: {} }],
  } as unknown as ProjectionStore;
  const editions = new EditionFacts(store, undefined);
  const logger = createLogger("tenant facts", "silent");
  const facts = new TenantFacts({ store, editions, source: undefined, logger });
  const answer = (version?: number) => {
    for (const { resolve, reject } of waiting.splice(0))
      if (version === undefined) reject(new Error("the database is gone"));
      else resolve(aCopy(version));
  };
  return { facts, waiting, answer };
}

const factorOf = (facts: Awaited<ReturnType<TenantFacts["of"]>> | undefined) => facts?.limit("rateLimitFactor");

it("requests at the same time share one read, and later ones read nothing", async () => {
  const { facts, waiting, answer } = factsOfStore();
  expect(facts.peek(tenantId)).toBeUndefined();
  const reads = [facts.of(tenantId), facts.of(tenantId)];
  expect(waiting).toHaveLength(1);
  answer(2);
  expect((await Promise.all(reads)).map(factorOf)).toEqual([2, 2]);
  expect([factorOf(facts.peek(tenantId)), factorOf(await facts.of(tenantId)), waiting.length]).toEqual([2, 2, 0]);
});

it("a lost connection has copies read again, and the older copy serves while the database is away", async () => {
  const { facts, waiting, answer } = factsOfStore();
  const first = facts.of(tenantId);
  answer(2);
  await first;
  facts.distrust();
  expect([factorOf(facts.peek(tenantId)), waiting.length]).toEqual([2, 1]);
  const duringOutage = facts.of(tenantId);
  answer();
  expect(factorOf(await duringOutage)).toBe(2);
  const afterwards = facts.of(tenantId);
  answer(3);
  expect(factorOf(await afterwards)).toBe(3);
});

it("a tenant without a copy has an error while the database is away", async () => {
  const { facts, answer } = factsOfStore();
  const reading = facts.of(tenantId);
  answer();
  await expect(reading).rejects.toThrow("gone");
});

it("a read that began before a notice is not kept", async () => {
  const { facts, waiting, answer } = factsOfStore();
  const early = facts.of(tenantId);
  await facts.refresh([{ tenantId, version: 3 }]);
  const [before] = waiting.splice(0);
  const late = facts.of(tenantId);
  answer(3);
  expect(factorOf(await late)).toBe(3);
  before?.resolve(aCopy(2));
  expect([factorOf(await early), factorOf(await facts.of(tenantId)), waiting.length]).toEqual([2, 3, 0]);
});

it("a notice of a newer version replaces the copy, and one of the same version reads nothing", async () => {
  const { facts, waiting, answer } = factsOfStore();
  const first = facts.of(tenantId);
  answer(2);
  await first;
  await facts.refresh([{ tenantId, version: 2 }]);
  expect(waiting).toHaveLength(0);
  const refreshing = facts.refresh([{ tenantId, version: 3 }]);
  expect(factorOf(await facts.of(tenantId))).toBe(2);
  answer(3);
  await refreshing;
  expect(factorOf(await facts.of(tenantId))).toBe(3);
});
