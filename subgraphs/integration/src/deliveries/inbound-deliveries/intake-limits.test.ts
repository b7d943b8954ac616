import { newId } from "@factory/runtime/identifiers/wire-id";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { ArrivedDelivery } from "../arrived-deliveries/arrived-delivery.js";
import type { Registration } from "../inbound-candidates/candidate.js";
import { DeliveryLimits } from "./intake-limits.js";

const refusal = expect.objectContaining({ code: "RATE_LIMITED" });
const deliveryWith = (changes: Partial<ArrivedDelivery> = {}) =>
  ({
    providerKey: "github",
    address: "192.0.2.1",
    hint: undefined,
    message: { body: Buffer.alloc(2) },
    ...changes,
  }) as ArrivedDelivery;
const hintedDelivery = (value: string) => deliveryWith({ hint: { kind: "subscription", value } });
const ofAccount = (value: string, changes: Partial<ArrivedDelivery> = {}) =>
  deliveryWith({ hint: { kind: "account", value }, ...changes });
const good = { matches: ["one"] };
const limits = (factor = 1) => new DeliveryLimits({ peek: () => undefined }, factor);

async function fail(counter: DeliveryLimits, delivery: ArrivedDelivery, times = 120): Promise<void> {
  for (let time = 0; time < times; time += 1) await counter.attempt(delivery, async () => ({ matches: [] }));
}

const pass = (counter: DeliveryLimits, delivery: ArrivedDelivery) => counter.attempt(delivery, async () => good);

it("refuses deliveries of an address and a key after 120 failures, and tells when to come again", async () => {
  const counter = limits();
  await fail(counter, deliveryWith(), 119);
  for (let time = 0; time < 1000; time += 1) await pass(counter, deliveryWith());
  await fail(counter, deliveryWith(), 1);
  await expect(pass(counter, deliveryWith())).rejects.toThrow(refusal);
  for (const changes of [{ address: "192.0.2.2" }, { providerKey: "stripe" }])
    await expect(pass(counter, deliveryWith(changes))).resolves.toBe(good);
});

it("counts failures with a hint by the resource that the hint names, so that they block no other", async () => {
  const counter = limits();
  const [ours, theirs] = [newId("whs"), newId("whs")];
  await fail(counter, hintedDelivery(ours));
  await fail(counter, deliveryWith());
  await expect(pass(counter, hintedDelivery(ours))).rejects.toThrow(refusal);
  await expect(pass(counter, hintedDelivery(theirs))).resolves.toBe(good);
});

it("counts failures with an account by address, provider key and account", async () => {
  const counter = limits();
  await fail(counter, ofAccount("acct"));
  await expect(pass(counter, ofAccount("acct"))).rejects.toThrow(refusal);
  for (const changes of [{ address: "192.0.2.2" }, { providerKey: "stripe" }])
    await expect(pass(counter, ofAccount("acct", changes))).resolves.toBe(good);
  await expect(pass(counter, ofAccount("other"))).resolves.toBe(good);
});

it("counts the failures of all accounts of an address and a key together", async () => {
  const counter = limits();
  for (let place = 0; place < 480; place += 1) await fail(counter, ofAccount(`acct-${place}`), 1);
  await expect(pass(counter, ofAccount("another"))).rejects.toThrow(refusal);
  await expect(pass(counter, ofAccount("another", { address: "192.0.2.2" }))).resolves.toBe(good);
  await expect(pass(counter, deliveryWith())).resolves.toBe(good);
});

it("counts a verification before it ends, and neither a good nor an interrupted one", async () => {
  const counter = limits();
  const ends: ((verification: typeof good) => void)[] = [];
  const waiting = Array.from({ length: 480 }, () =>
    counter.attempt(deliveryWith(), () => new Promise<typeof good>((resolve) => ends.push(resolve))),
  );
  await expect(pass(counter, deliveryWith())).rejects.toThrow(refusal);
  for (const end of ends) end(good);
  await Promise.all(waiting);
  const away = new Error("the database is away");
  for (let time = 0; time < 480; time += 1)
    await expect(counter.attempt(deliveryWith(), () => Promise.reject(away))).rejects.toThrow(away);
  await expect(pass(counter, deliveryWith())).resolves.toBe(good);
});

it("counts lookups by address from their begin, until something is found", () => {
  const counter = limits();
  const looks = Array.from({ length: 120 }, (_, place) => counter.look(deliveryWith({ providerKey: `key-${place}` })));
  expect(() => counter.look(deliveryWith({ providerKey: "another" }))).toThrow(refusal);
  expect(() => counter.look(deliveryWith({ address: "192.0.2.2" }))).not.toThrow();
  looks[0]?.();
  looks[0]?.();
  expect(() => counter.look(deliveryWith())).not.toThrow();
  expect(() => counter.look(deliveryWith())).toThrow(refusal);
});

describe("the verified deliveries of a minute", () => {
  const tenant = tenantWithId(newId("ten"));
  const registration = (changes: Partial<Registration> = {}) =>
    ({ tenant, providerId: newId("prv"), ...changes }) as Registration;
  /** As a delivery is taken: one before its events are known, then the others. */
  const take = async (counter: DeliveryLimits, match: Registration, events: number) => {
    await counter.spend(match);
    if (events > 1) await counter.spend(match, events - 1);
  };

  it("are counted by their events", async () => {
    const counter = limits();
    const match = registration();
    await take(counter, match, 1000);
    await expect(take(counter, match, 300)).rejects.toThrow(refusal);
    await take(counter, match, 199);
    await expect(take(counter, match, 1)).rejects.toThrow(refusal);
    await take(counter, registration(), 1200);
  });

  it("may be one batch that is larger than the whole limit", async () => {
    const counter = limits(0.1);
    const match = registration();
    await take(counter, match, 1000);
    await expect(take(counter, match, 1)).rejects.toThrow(refusal);
    await take(counter, registration(), 2);
  });

  it("of a tenant are at most four times those of one provider, and leave others their own", async () => {
    const counter = limits();
    for (let place = 0; place < 4; place += 1) await take(counter, registration(), 1200);
    await expect(take(counter, registration(), 1)).rejects.toThrow(refusal);
    await take(counter, registration({ tenant: tenantWithId(newId("ten")) }), 1);
  });
});

it("a large body counts once for each mebibyte, so that large ones take no more time than small ones", async () => {
  const counter = limits();
  const message = { body: Buffer.alloc(25 * 1024 * 1024) } as ArrivedDelivery["message"];
  await fail(counter, deliveryWith({ message }), 5);
  await expect(pass(counter, deliveryWith())).rejects.toThrow(refusal);
});
