import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { ArrivingDelivery } from "../arrived-deliveries/arrival.js";
import type { CandidateSet } from "../inbound-candidates/candidate.js";
import { NotVerified } from "./delivery-intake.js";
import { DeliveryLimits } from "./intake-limits.js";
import { RefusedByResource } from "./refused-by-resource.js";

const tenant = tenantWithId(newId("ten"));
const subscriptionId = newId("whs");
const ownerSet = { candidates: [], claims: [{ tenant }], isWhole: true } as unknown as CandidateSet;
const nobody: CandidateSet = { candidates: [], claims: [], isWhole: true };

function aCounter(isInMemory: boolean) {
  const calls = { reads: 0, noted: [] as unknown[] };
  const setOf = async (_key: string, hint: { value: string } | undefined) =>
    hint?.value === subscriptionId ? ownerSet : nobody;
  const counter = new RefusedByResource({
    cache: {
      peek: (key, hint) => (isInMemory ? setOf(key, hint) : undefined),
      read: (key, hint) => {
        calls.reads += 1;
        return setOf(key, hint);
      },
    },
    limits: new DeliveryLimits({ peek: () => undefined }, 1),
    trace: { note: (resource, reason) => void calls.noted.push([resource, reason]) },
    clock: () => new Date(),
  });
  return { counter, seen: calls };
}

const to = (value: string, kind = "subscription") =>
  ({ providerKey: "vendor", address: "192.0.2.1", hint: { kind, value } }) as ArrivingDelivery;
const resource = { tenant: tenant.uuid, resource: decodeId("whs", subscriptionId) };

it("tells the tenant of the resource why, also where the vendor had the one answer", async () => {
  for (const isInMemory of [true, false]) {
    const { counter, seen } = aCounter(isInMemory);
    await counter.note(to(subscriptionId), new NotVerified("SIGNATURE_MISSING"));
    await counter.note(to(subscriptionId), new DomainError("PAYLOAD_TOO_LARGE", { detail: "" }));
    expect(seen.noted).toEqual([
      [resource, "SIGNATURE_MISSING"],
      [resource, "PAYLOAD_TOO_LARGE"],
    ]);
  }
});

it("counts no failure of the platform, no account, and nothing that names no resource", async () => {
  const { counter, seen } = aCounter(true);
  await counter.note(to(subscriptionId), new DomainError("UNAVAILABLE", { detail: "" }));
  const error = new NotVerified("SIGNATURE_INVALID");
  await counter.note(to(subscriptionId, "account"), error);
  await counter.note(to(newId("whs")), error);
  await counter.note({ ...to(subscriptionId), hint: undefined }, error);
  await counter.note({ ...to(subscriptionId), providerKey: undefined }, error);
  expect(seen.noted).toEqual([]);
});

it("invented resources cost at most the limit of lookups", async () => {
  const { counter, seen } = aCounter(false);
  const error = new NotVerified("SIGNATURE_INVALID");
  for (let time = 0; time < 500; time += 1) await counter.note(to(newId("whs")), error).catch(() => undefined);
  expect([seen.reads, seen.noted]).toEqual([120, []]);
});
