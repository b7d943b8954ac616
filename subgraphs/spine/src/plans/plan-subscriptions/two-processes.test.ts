import { aQuickProcess } from "@factory/runtime/jobs/runs/quick-process.fixture";
import { testSettings, until } from "../../running-spine.fixture.js";
import { startSpine } from "../../subgraph.js";
import { type PlanTenant, PlanTest } from "./plan-subscription.fixture.js";

const tenantCount = 20;

it("two processes renew each of many plan subscriptions once, for each period that has passed", async () => {
  const test = await PlanTest.start("2026-01-31T10:00:00.000Z");
  try {
    const tenants: PlanTenant[] = [];
    for (let count = 0; count < tenantCount; count += 1) tenants.push(await test.tenant(`shared-${count}`));
    for (const tenant of tenants) await tenant.activate();
    const settings = { ...testSettings, clock: () => test.now, planLookMs: 50 };
    const other = await startSpine({ ...test.spine.host, jobProcess: aQuickProcess() }, settings);
    try {
      for (const day of ["2026-02-28", "2026-04-30", "2026-05-31"]) {
        test.now = new Date(`${day}T10:00:00.000Z`);
        await until(async () => {
          const plans = await Promise.all(tenants.map((tenant) => tenant.plan()));
          return plans.every(({ currentPeriodStart }) => currentPeriodStart.startsWith(day));
        });
      }
      const events = await Promise.all(tenants.map((tenant) => tenant.events()));
      const starts = events.map((tenantEvents) =>
        tenantEvents.filter(({ type }) => type === "SubscriptionRenewed").map(({ data }) => data["currentPeriodStart"]),
      );
      const expectedStarts = ["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"].map(
        (day) => `${day}T10:00:00.000Z`,
      );
      expect(starts).toEqual(tenants.map(() => expectedStarts));
    } finally {
      await other.close();
    }
  } finally {
    await test.spine.stop();
  }
});
