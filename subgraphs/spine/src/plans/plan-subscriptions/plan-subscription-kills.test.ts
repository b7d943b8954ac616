import { eventually } from "@factory/runtime/faults/eventually.fixture";
import { killsAt } from "@factory/runtime/faults/kills.fixture";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { principal } from "../../spine-caller.fixture.js";
import { SpineProcesses } from "../../spine-processes.fixture.js";

/** Where the process is killed: before the job's transaction, inside it, and after it. */
const phases = ["taken", "changed", "advanced"] as const;
const kills = killsAt(phases.length);
/** A generous limit for the time until the last start continues all jobs from killed processes. */
const takeoverMs = 120_000;

interface KilledTenant {
  readonly tenantId: string;
  readonly planId: string;
}

describe("kill -9 in the job that advances plan subscriptions", () => {
  let spine: SpineProcesses;

  beforeAll(async () => {
    spine = await SpineProcesses.open();
  });
  afterAll(() => spine.close());

  async function anActiveTenant(slug: string): Promise<KilledTenant> {
    const tenantId = await spine.activeTenant(slug);
    const caller = principal(tenantId, ["subscription.read", "subscription.manage"]);
    const { data } = await spine.ask(caller, "{ planSubscriptions { items { subscriptionId } } }");
    const planId: string = data?.["planSubscriptions"].items[0].subscriptionId;
    const activation = "mutation ($id: ID!) { activatePlanSubscription(planSubscriptionId: $id) { status } }";
    await spine.ask(caller, activation, { id: planId });
    return { tenantId, planId };
  }

  /** Ends the tenant's period now, so that it is renewed. */
  const endPeriod = ({ tenantId }: KilledTenant) =>
    spine.rows(
      `update spine.plan_subscriptions set current_period_end = now(), next_change_at = now(), change_sent_at = null
       where tenant_id = $1`,
      decodeId("ten", tenantId),
    );

  const due = async () => {
    const rows = await spine.rows("select from spine.plan_subscriptions where next_change_at < now()");
    return rows.length;
  };

  const eventsOf = async ({ tenantId, planId }: KilledTenant) =>
    (await spine.eventsOf(tenantId)).flatMap(({ subject, type }) =>
      subject === `subscriptions/${planId}` ? [type] : [],
    );

  it("leaves each renewal and each event exactly once", async () => {
    const tenants: KilledTenant[] = [];
    expect(await startMortal(0)).toBe(true);
    for (let count = 0; count < kills; count += 1) tenants.push(await anActiveTenant(`killed-${count}`));
    for (const [count, tenant] of tenants.entries()) await killedOnce(count, tenant);
    await spine.start();
    await eventually("each ended period is renewed", async () => (await due()) === 0, takeoverMs);
    for (const tenant of tenants) {
      // the job from an earlier kill may have ended the process before it was ready
      if ((await eventsOf(tenant)).length < 3) await endPeriod(tenant);
      await eventually(
        "the period of each tenant is renewed",
        async () => (await eventsOf(tenant)).length >= 3,
        takeoverMs,
      );
    }
    const jobs = () =>
      spine.rows("select from spine_jobs.job where name = 'advance-plan-subscription' and state < 'completed'");
    await eventually("no job is open", async () => (await jobs()).length === 0, takeoverMs);
    const eventTypes = ["SubscriptionCreated", "SubscriptionActivated", "SubscriptionRenewed"];
    expect(await Promise.all(tenants.map(eventsOf))).toEqual(tenants.map(() => eventTypes));
    expect(await due()).toBe(0);
  });

  const startMortal = (count: number) =>
    spine.startMortal(`planSubscription.${phases[count % phases.length] ?? "taken"}:kill:1`);

  /** Starts the spine unless it runs, ends the period of the tenant, and waits until the job has killed the process. */
  async function killedOnce(count: number, tenant: KilledTenant): Promise<void> {
    // a job that an earlier kill interrupted may kill the process before it is ready
    if (count > 0 && !(await startMortal(count))) return;
    await endPeriod(tenant);
    expect(await spine.process.ended).toBeNull();
  }
});
