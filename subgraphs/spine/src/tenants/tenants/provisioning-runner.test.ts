import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { createPlanSubscription } from "../../plans/plan-subscriptions/create-plan-subscription.js";
import { RunningSpine } from "../../running-spine.fixture.js";
import { ProvisioningRunner, type ProvisionTenantPayload } from "./provisioning-runner.js";
import type { ProvisioningStep } from "./provisioning-step.js";

let platform: RunningSpine;
let database: Database;
beforeAll(async () => {
  platform = await RunningSpine.start();
  database = await platform.openDatabase();
});
afterAll(async () => {
  await database?.close();
  await platform?.stop();
});

/** A tenant with a run that no job works on. */
async function aRun(slug: string): Promise<ProvisionTenantPayload> {
  const { tenantId } = await platform.registerTenant(slug);
  const runId = newId("run");
  await platform.admin.query(
    "insert into provisioning_runs (tenant_id, run_id, status, completed_steps, requested_at) values ($1, $2, 'Running', '{}', now())",
    [decodeId("ten", tenantId), decodeId("run", runId)],
  );
  return { tenantId, runId, traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`, actorId: "cli_test" };
}

function countedStep(name: string, failures = 0): ProvisioningStep & { runs: number } {
  return {
    name,
    runs: 0,
    async run() {
      this.runs += 1;
      if (this.runs <= failures) throw new Error(`${name} fails`);
    },
  };
}

const attempt = () => ({ signal: new AbortController().signal });

const eventTypes = async (tenantId: string) => (await platform.eventsOf(tenantId)).map(({ type }) => type);

describe("a provisioning run", () => {
  it("continues after the last committed step", async () => {
    const run = await aRun("resumed");
    const [first, second] = [countedStep("first"), countedStep("second", 1)];
    const runner = new ProvisioningRunner(database, [first, second]);
    await expect(runner.run(run, attempt())).rejects.toThrow("second fails");
    expect(await platform.tenantStatus(run.tenantId)).toBe("Provisioning");
    await runner.run(run, attempt());
    expect([first.runs, second.runs]).toEqual([1, 2]);
    expect(await platform.tenantStatus(run.tenantId)).toBe("Active");
  });

  it("takes effect once when two workers run it", async () => {
    const run = await aRun("twice");
    const step = countedStep("only");
    const runner = new ProvisioningRunner(database, [step, createPlanSubscription]);
    await Promise.all([runner.run(run, attempt()), runner.run(run, attempt())]);
    expect(step.runs).toBe(1);
    expect(await eventTypes(run.tenantId)).toEqual(["TenantRegistered", "SubscriptionCreated", "TenantProvisioned"]);
  });

  it("is not revived once it has ended", async () => {
    const run = await aRun("ended");
    const runner = new ProvisioningRunner(database, [countedStep("first")]);
    await runner.abandoned(run);
    await runner.run(run, attempt());
    await runner.abandoned(run);
    expect(await platform.tenantStatus(run.tenantId)).toBe("ProvisioningFailed");
    expect(await eventTypes(run.tenantId)).toEqual(["TenantRegistered", "TenantProvisioningFailed"]);
  });

  it("does not create a second plan subscription when the step runs again", async () => {
    const run = await aRun("again");
    await new ProvisioningRunner(database, [createPlanSubscription]).run(run, attempt());
    await platform.admin.query(
      "update provisioning_runs set status = 'Running', completed_steps = '{}' where run_id = $1",
      [decodeId("run", run.runId)],
    );
    await new ProvisioningRunner(database, [createPlanSubscription]).run(run, attempt());
    const creations = (await eventTypes(run.tenantId)).filter((type) => type === "SubscriptionCreated");
    expect(creations).toHaveLength(1);
  });

  it("stops between steps when its process stops", async () => {
    const run = await aRun("stopped");
    const step = countedStep("first");
    await expect(new ProvisioningRunner(database, [step]).run(run, { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(step.runs).toBe(0);
  });
});
