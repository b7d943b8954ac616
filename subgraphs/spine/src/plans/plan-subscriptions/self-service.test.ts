import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { platformAdmin } from "../../running-spine.fixture.js";
import { columnsInState, end, type PlanTenant, PlanTest, start } from "./plan-subscription.fixture.js";
import { type PlanSubscriptionState, planSubscriptionStates } from "./plan-subscription.states.js";

let test: PlanTest;
beforeAll(async () => {
  test = await PlanTest.start(start.toISOString());
  await test.edition("Contract", { selfService: false });
  await test.edition("Frame", { selfService: false });
  await test.edition("Open", {});
});
afterAll(() => test?.spine.stop());

const states = Object.keys(planSubscriptionStates) as PlanSubscriptionState[];
const lostStates: readonly PlanSubscriptionState[] = ["PastDue", "Suspended", "Cancelled", "Expired"];

let count = 0;
/** A tenant to which the platform gave the edition. */
async function inState(state: PlanSubscriptionState, editionCode = "Contract"): Promise<PlanTenant> {
  count += 1;
  const tenant = await test.tenant(`own-${count}`, editionCode);
  await tenant.put(columnsInState[state]);
  return tenant;
}

const selfServiceRefusal = { code: "EDITION_NOT_SELF_SERVICE", status: 403 };

describe("an edition that tenants cannot choose themselves", () => {
  it.each(states)("is not taken by a tenant of another edition in the state %s", async (state) => {
    for (const from of ["Open", "Frame"]) {
      const tenant = await inState(state, from);
      const before = await tenant.plan();
      expect((await tenant.activate({ editionCode: "Contract" })).refusal).toMatchObject(selfServiceRefusal);
      expect(await tenant.plan()).toEqual(before);
      expect(await tenant.eventTypes()).toEqual(["SubscriptionCreated"]);
    }
  });

  it.each(lostStates)("is not brought back by its tenant from the state %s, by any input", async (state) => {
    const tenant = await inState(state);
    for (const input of [null, {}, { editionCode: "Contract" }, { billingCycle: "Annual" }])
      expect((await tenant.activate(input)).refusal).toMatchObject({ ...selfServiceRefusal, editionCode: "Contract" });
    expect((await tenant.plan()).status).toBe(state);
  });

  it.each(states.filter((state) => !lostStates.includes(state)))(
    "stays with its tenant in the state %s",
    async (state) => {
      const tenant = await inState(state);
      expect((await tenant.activate()).data?.["plan"]).toMatchObject({ status: "Active", editionCode: "Contract" });
    },
  );

  it("is not brought back through a cancellation, nor through a payment that failed just now", async () => {
    const tenant = await inState("Active");
    await tenant.cancel({ atPeriodEnd: false });
    expect((await tenant.activate()).refusal).toMatchObject(selfServiceRefusal);
    const trial = await inState("Trialing");
    test.now = new Date(end);
    expect((await trial.activate()).refusal).toMatchObject(selfServiceRefusal);
    test.now = start;
  });

  it("is left for one that is open, and then not taken again", async () => {
    const tenant = await inState("Suspended");
    expect((await tenant.activate({ editionCode: "Open" })).data?.["plan"]).toMatchObject({ status: "Active" });
    expect((await tenant.activate({ editionCode: "Contract" })).refusal).toMatchObject(selfServiceRefusal);
  });

  it("tells how to ask for it", async () => {
    const tenant = await inState("Active", "Open");
    const { refusal, errors } = await tenant.activate({ editionCode: "Contract" });
    const answerText = JSON.stringify([refusal, errors]);
    for (const fact of ["Ask the operator", tenant.tenantId, tenant.id, "activateTenantPlanSubscription"])
      expect(answerText).toContain(fact);
  });

  it("is refused in the next request of every process, before the change is in memory", async () => {
    await test.edition("Closing", {});
    const tenant = await inState("Active", "Open");
    // a change whose version stays is never read into memory
    await test.spine.admin.query("update editions set self_service = false where code = 'Closing'");
    expect((await tenant.activate({ editionCode: "Closing" })).refusal).toMatchObject(selfServiceRefusal);
  });

  it("does not act again for the Idempotency-Key of an activation from before", async () => {
    await test.edition("Ending", {});
    const tenant = await inState("Pending", "Open");
    const first = await tenant.activate({ editionCode: "Ending" }, "before");
    const change = 'mutation { updateEdition(code: "Ending", input: { selfService: false }) { selfService version } }';
    expect((await test.spine.ask(platformAdmin(), change)).data?.["updateEdition"]).toEqual({
      selfService: false,
      version: 2,
    });
    await tenant.cancel({ atPeriodEnd: false });
    const again = await tenant.activate({ editionCode: "Ending" }, "before");
    expect([again.replayed, again.data]).toEqual([true, first.data]);
    expect((await tenant.plan()).status).toBe("Cancelled");
  });

  it("is unknown where it is unknown or retired, and not refused by its rule", async () => {
    await test.edition("Gone", { selfService: false });
    await test.spine.ask(platformAdmin(), 'mutation { retireEdition(code: "Gone") { active } }');
    const tenant = await inState("Active", "Open");
    for (const editionCode of ["Gone", "Nowhere"])
      expect((await tenant.activate({ editionCode })).refusal).toMatchObject({ code: "REFERENCE_NOT_FOUND" });
  });
});

describe("the platform administrator", () => {
  it.each(states)("activates an edition for a tenant in the state %s", async (state) => {
    const tenant = await inState(state, "Open");
    const { data, refusal } = await tenant.activateByPlatform({ editionCode: "Contract", billingCycle: "Annual" });
    expect([refusal, data?.["plan"]]).toEqual([
      undefined,
      expect.objectContaining({ status: "Active", editionCode: "Contract", billingCycle: "Annual" }),
    ]);
    expect((await tenant.events()).at(-1)).toMatchObject({ type: "SubscriptionActivated", tenantid: tenant.tenantId });
  });

  it("activates once for one Idempotency-Key, and names an edition that exists", async () => {
    const tenant = await inState("Expired");
    const first = await tenant.activateByPlatform(null, "given");
    await tenant.cancel({ atPeriodEnd: false });
    const again = await tenant.activateByPlatform(null, "given");
    expect([again.replayed, again.data]).toEqual([true, first.data]);
    expect((await tenant.plan()).status).toBe("Cancelled");
    expect((await tenant.activateByPlatform({ editionCode: "Nowhere" })).refusal).toMatchObject({
      code: "REFERENCE_NOT_FOUND",
    });
  });

  it("does not revive the plan subscription of an archived tenant", async () => {
    const tenant = await inState("PastDue");
    await test.spine.admin.query("update tenants set status = 'Archived' where tenant_id = $1", [
      decodeId("ten", tenant.tenantId),
    ]);
    for (const answer of [await tenant.activateByPlatform(), await tenant.pay(), await tenant.failPayment()])
      expect(answer.refusal).toMatchObject({ code: "INVALID_STATE", currentState: "Archived" });
  });

  it("closes a seeded edition, and sees it in the history and in the event", async () => {
    const change = async (selfService: boolean) => {
      const document = `mutation { updateEdition(code: "Enterprise", input: { selfService: ${selfService} }) {
        selfService history { version selfService } } }`;
      return (await test.spine.ask(platformAdmin(), document)).data?.["updateEdition"];
    };
    const tenant = await inState("Active", "Open");
    expect(await change(false)).toMatchObject({
      selfService: false,
      history: [
        { version: 2, selfService: false },
        { version: 1, selfService: true },
      ],
    });
    expect((await tenant.activate({ editionCode: "Enterprise" })).refusal).toMatchObject(selfServiceRefusal);
    expect(await change(true)).toMatchObject({ selfService: true });
    expect((await tenant.activate({ editionCode: "Enterprise" })).refusal).toBeUndefined();
  });
});
