import { newId } from "@factory/runtime/identifiers/wire-id";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { ArrivedDelivery } from "../arrived-deliveries/arrived-delivery.js";
import type { Registration } from "../inbound-candidates/candidate.js";
import { DeliveryLimits } from "./intake-limits.js";

const refused = expect.objectContaining({ code: "RATE_LIMITED" });
const arrived = (changes: Partial<ArrivedDelivery> = {}) =>
  ({
    providerKey: "github",
    address: "192.0.2.1",
    hint: undefined,
    message: { body: Buffer.alloc(2) },
    ...changes,
  }) as ArrivedDelivery;
const hinted = (value: string) => arrived({ hint: { kind: "subscription", value } });
const ofAccount = (value: string, changes: Partial<ArrivedDelivery> = {}) =>
  arrived({ hint: { kind: "account", value }, ...changes });
const good = { matches: ["one"] };
const limits = (factor = 1) => new DeliveryLimits({ peek: () => undefined }, factor);

async function fail(counted: DeliveryLimits, delivery: ArrivedDelivery, times = 120): Promise<void> {
  for (let time = 0; time < times; time += 1) await counted.attempt(delivery, async () => ({ matches: [] }));
}

const pass = (counted: DeliveryLimits, delivery: ArrivedDelivery) => counted.attempt(delivery, async () => good);

it("refuses deliveries of an address and a key after 120 failures, and tells when to come again", async () => {
  const counted = limits();
  await fail(counted, arrived(), 119);
  for (let time = 0; time < 1000; time += 1) await pass(counted, arrived());
  await fail(counted, arrived(), 1);
  await expect(pass(counted, arrived())).rejects.toThrow(refused);
  for (const changes of [{ address: "192.0.2.2" }, { providerKey: "stripe" }])
    await expect(pass(counted, arrived(changes))).resolves.toBe(good);
});

it("counts failures with a hint by the resource that the hint names, so that they block no other", async () => {
  const counted = limits();
  const [ours, theirs] = [newId("whs"), newId("whs")];
  await fail(counted, hinted(ours));
  await fail(counted, arrived());
  await expect(pass(counted, hinted(ours))).rejects.toThrow(refused);
  await expect(pass(counted, hinted(theirs))).resolves.toBe(good);
});

it("counts failures with an account by address, provider key and account", async () => {
  const counted = limits();
  await fail(counted, ofAccount("acct"));
  await expect(pass(counted, ofAccount("acct"))).rejects.toThrow(refused);
  for (const changes of [{ address: "192.0.2.2" }, { providerKey: "stripe" }])
    await expect(pass(counted, ofAccount("acct", changes))).resolves.toBe(good);
  await expect(pass(counted, ofAccount("other"))).resolves.toBe(good);
});

it("counts the failures of all accounts of an address and a key together", async () => {
  const counted = limits();
  for (let place = 0; place < 480; place += 1) await fail(counted, ofAccount(`acct-${place}`), 1);
  await expect(pass(counted, ofAccount("another"))).rejects.toThrow(refused);
  await expect(pass(counted, ofAccount("another", { address: "192.0.2.2" }))).resolves.toBe(good);
  await expect(pass(counted, arrived())).resolves.toBe(good);
});

it("counts a verification before it ends, and neither a good nor an interrupted one", async () => {
  const counted = limits();
  const ends: ((verification: typeof good) => void)[] = [];
  const waiting = Array.from({ length: 480 }, () =>
    counted.attempt(arrived(), () => new Promise<typeof good>((resolve) => ends.push(resolve))),
  );
  await expect(pass(counted, arrived())).rejects.toThrow(refused);
  for (const end of ends) end(good);
  await Promise.all(waiting);
  const away = new Error("the database is away");
  for (let time = 0; time < 480; time += 1)
    await expect(counted.attempt(arrived(), () => Promise.reject(away))).rejects.toThrow(away);
  await expect(pass(counted, arrived())).resolves.toBe(good);
});

it("counts lookups by address from their begin, until something is found", () => {
  const counted = limits();
  const looks = Array.from({ length: 120 }, (_, place) => counted.look(arrived({ providerKey: `key-${place}` })));
  expect(() => counted.look(arrived({ providerKey: "another" }))).toThrow(refused);
  expect(() => counted.look(arrived({ address: "192.0.2.2" }))).not.toThrow();
  looks[0]?.();
  looks[0]?.();
  expect(() => counted.look(arrived())).not.toThrow();
  expect(() => counted.look(arrived())).toThrow(refused);
});

describe("the verified deliveries of a minute", () => {
  const tenant = tenantWithId(newId("ten"));
  const registration = (changes: Partial<Registration> = {}) =>
    ({ tenant, providerId: newId("prv"), ...changes }) as Registration;
  /** As a delivery is taken: one before its events are known, then the others. */
  const take = async (counted: DeliveryLimits, match: Registration, events: number) => {
    await counted.spend(match);
    if (events > 1) await counted.spend(match, events - 1);
  };

  it("are counted by their events", async () => {
    const counted = limits();
    const match = registration();
    await take(counted, match, 1000);
    await expect(take(counted, match, 300)).rejects.toThrow(refused);
    await take(counted, match, 199);
    await expect(take(counted, match, 1)).rejects.toThrow(refused);
    await take(counted, registration(), 1200);
  });

  it("may be one batch that is larger than the whole limit", async () => {
    const counted = limits(0.1);
    const match = registration();
    await take(counted, match, 1000);
    await expect(take(counted, match, 1)).rejects.toThrow(refused);
    await take(counted, registration(), 2);
  });

  it("of a tenant are at most four times those of one provider, and leave others their own", async () => {
    const counted = limits();
    for (let place = 0; place < 4; place += 1) await take(counted, registration(), 1200);
    await expect(take(counted, registration(), 1)).rejects.toThrow(refused);
    await take(counted, registration({ tenant: tenantWithId(newId("ten")) }), 1);
  });
});

it("a large body counts once for each mebibyte, so that large ones take no more time than small ones", async () => {
  const counted = limits();
  const message = { body: Buffer.alloc(25 * 1024 * 1024) } as ArrivedDelivery["message"];
  await fail(counted, arrived({ message }), 5);
  await expect(pass(counted, arrived())).rejects.toThrow(refused);
});
