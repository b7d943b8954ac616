import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { TenantPlans } from "./tenant-plans.js";

const tenant = tenantWithId(newId("ten"));

/** The plans over a database whose reads end when the test says so. */
async function plansOfDatabase() {
  const waiting: ((editionCode: string | undefined) => void)[] = [];
  const row = () =>
    new Promise((resolve) =>
      waiting.push((code) => resolve(code === undefined ? undefined : { edition_code: code, status: "Active" })),
    );
  const plans = new TenantPlans({ row } as unknown as TenantReader);
  let notice = (_tenantId?: string): void => undefined;
  await plans.follow({ on: async (_channel, wake) => void (notice = wake) });
  return { plans, waiting, notice: (tenantId?: string) => notice(tenantId) };
}

it("requests at the same time share one read, and later ones read nothing", async () => {
  const { plans, waiting } = await plansOfDatabase();
  const reads = [plans.of(tenant), plans.of(tenant)];
  waiting[0]?.("Free");
  const plan = { editionCode: "Free", status: "Active" };
  expect([...(await Promise.all(reads)), await plans.of(tenant)]).toEqual([plan, plan, plan]);
  expect(waiting).toHaveLength(1);
});

it.each([["the tenant", tenant.tenantId] as const, ["a lost connection", undefined] as const])(
  "a read that began before a notice of %s is not kept",
  async (_, payload) => {
    const { plans, waiting, notice } = await plansOfDatabase();
    const early = plans.of(tenant);
    notice(payload);
    const late = plans.of(tenant);
    waiting[1]?.("Pro");
    waiting[0]?.("Free");
    const codes = (await Promise.all([early, late, plans.of(tenant)])).map(({ editionCode }) => editionCode);
    expect(codes).toEqual(["Free", "Pro", "Pro"]);
    notice(newId("ten"));
    expect(await plans.of(tenant)).toMatchObject({ editionCode: "Pro" });
    expect(waiting).toHaveLength(2);
  },
);

it("a caller who goes away cuts no read that others share", async () => {
  const tenants: object[] = [];
  const row = async (_statement: unknown, readTenant: object) => {
    tenants.push(readTenant);
    return { edition_code: "Free", status: "Active" };
  };
  const caller = new AbortController().signal;
  await new TenantPlans({ row } as unknown as TenantReader).of({ ...tenant, caller });
  expect(tenants).toEqual([{ tenantId: tenant.tenantId, uuid: tenant.uuid }]);
});

it("a tenant that does not exist is looked up each time", async () => {
  const { plans, waiting } = await plansOfDatabase();
  for (let count = 0; count < 2; count += 1) {
    const reading = plans.of(tenant);
    waiting[count]?.(undefined);
    await expect(reading).rejects.toMatchObject({ code: "TENANT_UNKNOWN" });
  }
});
