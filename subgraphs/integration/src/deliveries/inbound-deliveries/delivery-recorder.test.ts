import { newId } from "@factory/runtime/identifiers/wire-id";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { DeliveryRecorder } from "./delivery-recorder.js";
import type { NewDelivery, RecordedDelivery } from "./new-delivery.js";

const [first, other] = [tenantWithId(newId("ten")), tenantWithId(newId("ten"))];
const delivery = (name: string) => ({ providerDeliveryId: name, payload: "{}" }) as NewDelivery;

const withTenBytes = (delivery: NewDelivery): NewDelivery => ({ ...delivery, payload: "12345" });

/** Writes that end when the test says so. */
function heldWrites() {
  const writes: { tenant: string; names: string[]; end: (error?: Error) => void }[] = [];
  const write = (tenant: typeof first, deliveries: readonly NewDelivery[]): Promise<RecordedDelivery[]> =>
    new Promise((resolve, reject) => {
      const names = deliveries.map(({ providerDeliveryId }) => providerDeliveryId);
      const outcomes = names.map((deliveryId) => ({
        deliveryId,
        normalizedEventType: "WidgetCreated",
        isDuplicate: false,
      }));
      writes.push({ tenant: tenant.uuid, names, end: (error) => (error ? reject(error) : resolve(outcomes)) });
    });
  return { writes, write };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it("records what waits for a tenant together, and answers each request with its own deliveries", async () => {
  const { writes, write } = heldWrites();
  const recorder = new DeliveryRecorder({ write });
  const answers = ["a", "b", "c"].map((name) => recorder.record(first, [delivery(name)]));
  expect(writes.map(({ names }) => names)).toEqual([["a"]]);
  writes[0]?.end();
  await answers[0];
  await nextTurn();
  expect(writes[1]?.names).toEqual(["b", "c"]);
  writes[1]?.end();
  expect(await answers[2]).toEqual([{ deliveryId: "c", normalizedEventType: "WidgetCreated", isDuplicate: false }]);
});

it("gives another tenant its turn before the third batch of the first one", async () => {
  const { writes, write } = heldWrites();
  const recorder = new DeliveryRecorder({ write }, { maxTransactions: 1, maxBatch: 1 });
  for (const name of ["a", "b", "c"]) void recorder.record(first, [delivery(name)]);
  void recorder.record(other, [delivery("theirs")]);
  for (let place = 0; place < 4; place += 1) {
    writes[place]?.end();
    await nextTurn();
  }
  expect(writes.map(({ names: [name] }) => name)).toEqual(["a", "b", "theirs", "c"]);
});

it("refuses more than a tenant may have waiting, and others still have room", async () => {
  const { write } = heldWrites();
  const recorder = new DeliveryRecorder({ write }, { maxWaitingPerTenant: 2 });
  const record = (name: string, tenant = first) => recorder.record(tenant, [delivery(name)]);
  for (const name of ["a", "b", "c"]) void record(name);
  expect(() => record("d")).toThrow(expect.objectContaining({ code: "UNAVAILABLE" }));
  expect(() => void record("theirs", other)).not.toThrow();
});

it.each([
  ["bytes", { maxWaitingBytesPerTenant: 40 }],
  ["deliveries", { maxWaitingPerTenant: 4 }],
])("refuses more %s than a tenant may have waiting, also in one request, until some are written", async (_, limits) => {
  const { writes, write } = heldWrites();
  const recorder = new DeliveryRecorder({ write }, limits);
  const three = (tenant = first) => recorder.record(tenant, ["a", "b", "c"].map(delivery).map(withTenBytes));
  void three();
  void three();
  expect(() => three()).toThrow(expect.objectContaining({ code: "UNAVAILABLE" }));
  expect(() => void three(other)).not.toThrow();
  expect(() => void three(other)).not.toThrow();
  writes[0]?.end();
  await nextTurn();
  expect(() => void three()).not.toThrow();
});

it("answers a failed write to its own requests only, and goes on", async () => {
  const { writes, write } = heldWrites();
  const recorder = new DeliveryRecorder({ write });
  const recording = recorder.record(first, [delivery("a")]);
  writes[0]?.end(new Error("the database is away"));
  await expect(recording).rejects.toThrow("the database is away");
  const next = recorder.record(first, [delivery("b")]);
  writes[1]?.end();
  await expect(next).resolves.toHaveLength(1);
});

it("a large request finds room beside the small ones that wait, and a second large one does not", async () => {
  const { write } = heldWrites();
  const recorder = new DeliveryRecorder({ write }, { maxWaitingBytesPerTenant: 40 });
  const small = () => recorder.record(first, [withTenBytes(delivery("a"))]);
  const large = () => recorder.record(first, ["b", "c", "d"].map(delivery).map(withTenBytes));
  void small();
  void small();
  void small();
  expect(() => void large()).not.toThrow();
  expect(() => large()).toThrow(expect.objectContaining({ code: "UNAVAILABLE" }));
  expect(() => void small()).not.toThrow();
});
