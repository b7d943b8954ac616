import { DomainError } from "@factory/runtime/errors/domain-error";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { TenantBatches } from "./tenant-batches.js";

const refusal = new DomainError("RATE_LIMITED", { detail: "refused" });

/** Batches whose writes wait for `go`. A negative number is refused, and zero fails its whole transaction. */
function aWriter(limits: ConstructorParameters<typeof TenantBatches>[1] = {}) {
  const writtenBatches: (readonly number[])[] = [];
  let go: () => void = () => undefined;
  let gate: Promise<void> | undefined = new Promise((resolve) => {
    go = resolve;
  });
  const batches = new TenantBatches<number, number>(async (_, items) => {
    writtenBatches.push(items);
    await gate;
    if (items.includes(0)) throw new Error("defect");
    return items.map((item) => (item < 0 ? { refused: refusal } : { done: item * 10 }));
  }, limits);
  const open = () => {
    go();
    gate = undefined;
  };
  return { batches, written: writtenBatches, open };
}

const aTenant = () => tenantWithId(newId("ten"));

it("items of one tenant that come during a batch are written together in the next one", async () => {
  const { batches, written, open } = aWriter({ maxBatch: 3 });
  const [first, other] = [aTenant(), aTenant()];
  const all = [1, 2, 3, 4, 5].map((item) => batches.add(first, item));
  const others = batches.add(other, 9);
  expect(written).toEqual([[1], [9]]);
  open();
  expect(await Promise.all([...all, others])).toEqual([10, 20, 30, 40, 50, 90]);
  expect(written).toEqual([[1], [9], [2, 3, 4], [5]]);
  expect(await batches.add(first, 6)).toBe(60);
});

it("a refusal, or a failure, of one item is that of its caller only", async () => {
  const { batches, written, open } = aWriter();
  const tenant = aTenant();
  const all = Promise.allSettled([1, -2, 0, 4].map((item) => batches.add(tenant, item)));
  open();
  expect(await all).toMatchObject([
    { value: 10 },
    { reason: refusal },
    { reason: { message: "defect" } },
    { value: 40 },
  ]);
  expect(written).toEqual([[1], [-2, 0, 4], [-2], [0], [4]]);
});

it("refuses items when too many wait, or for too long", async () => {
  const { batches, open } = aWriter({ maxWaitingPerTenant: 1, patienceMs: 20 });
  const tenant = aTenant();
  const first = batches.add(tenant, 1);
  const second = batches.add(tenant, 2);
  await expect(batches.add(tenant, 3)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await expect(second).rejects.toMatchObject({ code: "UNAVAILABLE" });
  open();
  expect(await first).toBe(10);
});
