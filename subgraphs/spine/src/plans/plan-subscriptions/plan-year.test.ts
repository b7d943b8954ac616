import { until } from "../../running-spine.fixture.js";
import { PlanTest } from "./plan-subscription.fixture.js";

let test: PlanTest;
beforeAll(async () => {
  test = await PlanTest.start("2027-12-31T10:00:00.000Z");
});
afterAll(() => test?.spine.stop());

const renewals = (types: readonly string[]) => types.filter((type) => type === "SubscriptionRenewed").length;
const isoDay = (time: string | null) => time?.slice(0, 10);

it("a year passes: renewals, lapse, grace, suspension, cancellation at the period end, and the end of a trial", async () => {
  await test.edition("Trial", { trialDays: 14 });
  const [steady, lapsing, leaving, trying, annual] = await Promise.all([
    test.tenant("steady"),
    test.tenant("lapsing"),
    test.tenant("leaving"),
    test.tenant("trying", "Trial"),
    test.tenant("annual"),
  ]);
  for (const tenant of [steady, lapsing, leaving]) await tenant.activate();
  await annual.activate({ billingCycle: "Annual" });
  expect(await trying.plan()).toMatchObject({
    status: "Trialing",
    trialEndsAt: "2028-01-14T10:00:00.000Z",
    currentPeriodEnd: "2028-01-14T10:00:00.000Z",
  });

  test.now = new Date("2028-01-14T09:59:59.999Z");
  // the time for ten looks for due changes
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect((await trying.plan()).status).toBe("Trialing");
  test.now = new Date("2028-01-14T10:00:00.000Z");
  await trying.becomes("Expired");

  const ends: (string | undefined)[] = [];
  for (let month = 1; month <= 12; month += 1) {
    const end = (await steady.plan()).currentPeriodEnd;
    ends.push(isoDay(end));
    test.now = new Date(end);
    await until(async () => renewals(await steady.eventTypes()) === month);
    if (month === 3) {
      await lapsing.failPayment({ reason: "The card has expired." });
      await leaving.cancel();
      expect(await leaving.plan()).toMatchObject({ status: "Active", cancelAt: "2028-04-30T10:00:00.000Z" });
      test.now = new Date(test.now.getTime() + 7 * 86_400_000);
      await lapsing.becomes("Suspended");
    }
  }
  expect(ends).toEqual([
    ...["2028-01-31", "2028-02-29", "2028-03-31", "2028-04-30", "2028-05-31", "2028-06-30"],
    ...["2028-07-31", "2028-08-31", "2028-09-30", "2028-10-31", "2028-11-30", "2028-12-31"],
  ]);
  await until(async () => renewals(await annual.eventTypes()) === 1);
  expect((await annual.plan()).currentPeriodEnd).toBe("2029-12-31T10:00:00.000Z");
  const activationTypes = ["SubscriptionCreated", "SubscriptionActivated"];
  const renewalTypes = (count: number) => Array.from({ length: count }, () => "SubscriptionRenewed");
  expect(await steady.eventTypes()).toEqual([...activationTypes, ...renewalTypes(12)]);
  expect(await lapsing.eventTypes()).toEqual([
    ...[...activationTypes, ...renewalTypes(3)],
    ...["SubscriptionLapsed", "SubscriptionSuspended"],
  ]);
  expect(await leaving.eventTypes()).toEqual([...activationTypes, ...renewalTypes(3), "SubscriptionCancelled"]);
  expect(await trying.eventTypes()).toEqual([
    ...["SubscriptionCreated", "SubscriptionTrialStarted", "SubscriptionExpired"],
  ]);
  expect((await lapsing.events()).at(-1)?.data).toMatchObject({
    status: "Suspended",
    pastDueSince: "2028-03-31T10:00:00.000Z",
    effectiveAt: "2028-04-07T10:00:00.000Z",
  });
  expect((await leaving.plan()).status).toBe("Cancelled");
});

it("renewals that were missed while the platform was down are made one after the other", async () => {
  const tenant = await test.tenant("missed");
  await tenant.activate();
  const begin = new Date(test.now);
  test.now = new Date(begin.getTime() + 370 * 86_400_000);
  await until(async () => renewals(await tenant.eventTypes()) === 12);
  const events = (await tenant.events()).filter(({ type }) => type === "SubscriptionRenewed");
  const starts = events.map(({ data }) => data["currentPeriodStart"]);
  expect(starts).toEqual(events.map(({ data }) => data["effectiveAt"]));
  expect(new Set(starts).size).toBe(12);
  expect(starts.map(String)).toEqual(starts.map(String).toSorted());
  const { currentPeriodStart, currentPeriodEnd } = await tenant.plan();
  expect(new Date(currentPeriodStart) <= test.now && test.now < new Date(currentPeriodEnd)).toBe(true);
});
