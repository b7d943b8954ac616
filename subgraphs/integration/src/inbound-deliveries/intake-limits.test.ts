import { newId } from "@factory/runtime/identifiers/wire-id";
import type { ArrivedDelivery } from "../arrived-deliveries/arrived-delivery.js";
import { DeliveryLimits } from "./intake-limits.js";

const refused = expect.objectContaining({ code: "RATE_LIMITED" });
const arrived = (changes: Partial<ArrivedDelivery> = {}) =>
  ({ providerKey: "github", address: "192.0.2.1", hint: undefined, ...changes }) as ArrivedDelivery;
const hinted = (value: string) => arrived({ hint: { kind: "subscription", value } });
const limits = () => new DeliveryLimits({ peek: () => undefined }, 1);

function fail(counted: DeliveryLimits, delivery: ArrivedDelivery, times = 120): void {
  for (let time = 0; time < times; time += 1) counted.countFailure(delivery);
}

it("refuses deliveries of an address and a key after 120 failures, and tells when to come again", () => {
  const counted = limits();
  fail(counted, arrived(), 119);
  expect(() => counted.requireRoomToTry(arrived())).not.toThrow();
  fail(counted, arrived(), 1);
  expect(() => counted.requireRoomToTry(arrived())).toThrow(refused);
  expect(() => counted.requireRoomToTry(arrived({ address: "192.0.2.2" }))).not.toThrow();
  expect(() => counted.requireRoomToTry(arrived({ providerKey: "stripe" }))).not.toThrow();
});

it("counts failures with a hint by the resource that the hint names, so that they block no other", () => {
  const counted = limits();
  const [ours, theirs] = [newId("whs"), newId("whs")];
  fail(counted, hinted(ours));
  fail(counted, arrived());
  expect(() => counted.requireRoomToTry(hinted(ours))).toThrow(refused);
  expect(() => counted.requireRoomToTry(hinted(theirs))).not.toThrow();
});

it("counts failures with an account by address, provider key and account", () => {
  const counted = limits();
  const hint = { kind: "account", value: "acct" } as const;
  fail(counted, arrived({ hint }));
  expect(() => counted.requireRoomToTry(arrived({ hint }))).toThrow(refused);
  for (const changes of [{ address: "192.0.2.2" }, { providerKey: "stripe" }, { hint: { ...hint, value: "other" } }])
    expect(() => counted.requireRoomToTry(arrived({ hint, ...changes }))).not.toThrow();
});

it("counts lookups of unknown keys by address", () => {
  const counted = limits();
  for (let time = 0; time < 120; time += 1) counted.countUnknown(arrived({ providerKey: `key-${time}` }));
  expect(() => counted.requireRoomToLook(arrived({ providerKey: "key-121" }))).toThrow(refused);
});
