import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/messages/envelope";
import { type Answer, type Json, platformAdmin, principal, RunningSpine, until } from "../../running-spine.fixture.js";
import type { PlanSubscriptionState } from "./plan-subscription.states.js";

/** A time in the plan subscription tests, and the end of a monthly period that begins then. */
export const start = new Date("2026-01-31T10:00:00.000Z");
export const end = "2026-02-28T10:00:00.000Z";
const period = `billing_cycle = 'Monthly', anchor_at = '${start.toISOString()}',
  current_period_start = '${start.toISOString()}', current_period_end = '${end}'`;

/** A row's columns in each state, with its times around `start`. */
export const columnsInState: Record<PlanSubscriptionState, string> = {
  Pending: "status = 'Pending'",
  Trialing: `status = 'Trialing', trial_ends_at = '${end}', current_period_end = '${end}'`,
  Active: `status = 'Active', ${period}`,
  PastDue: `status = 'PastDue', past_due_since = '${start.toISOString()}', ${period}`,
  Suspended: `status = 'Suspended', past_due_since = '${start.toISOString()}', ${period}`,
  Cancelled: `status = 'Cancelled', cancel_at = '${start.toISOString()}', ${period}`,
  Expired: `status = 'Expired', trial_ends_at = '${start.toISOString()}'`,
};

const members =
  "subscriptionId tenantId editionCode billingCycle status currentPeriodStart currentPeriodEnd cancelAt trialEndsAt pastDueSince graceEndsAt version";

/** A spine whose plan subscriptions live by a clock that the test sets. */
export class PlanTest {
  now: Date;
  readonly spine: RunningSpine;

  private constructor(spine: RunningSpine, now: Date) {
    this.spine = spine;
    this.now = now;
  }

  static async start(now: string): Promise<PlanTest> {
    const time: { test?: PlanTest } = {};
    const spine = await RunningSpine.start({ clock: () => time.test?.now ?? new Date(now), planLookMs: 50 });
    time.test = new PlanTest(spine, new Date(now));
    return time.test;
  }

  /** An active tenant. */
  async tenant(slug: string, editionCode = "Standard"): Promise<PlanTenant> {
    const { tenantId } = await this.spine.registerTenant(slug, editionCode);
    await this.spine.provision(tenantId);
    await until(async () => (await this.spine.tenantStatus(tenantId)) === "Active");
    return new PlanTenant(this, tenantId, await this.#idOf(tenantId));
  }

  async edition(code: string, input: object): Promise<void> {
    await this.spine.ask(
      platformAdmin(),
      "mutation ($input: CreateEditionInput!) { createEdition(input: $input) { code } }",
      { input: { code, name: code, features: {}, ...input } },
    );
  }

  async #idOf(tenantId: string): Promise<string> {
    const { data } = await this.spine.ask(
      principal(tenantId, ["subscription.read"]),
      "{ planSubscriptions { items { subscriptionId } } }",
    );
    return data?.["planSubscriptions"].items[0].subscriptionId;
  }
}

/** A tenant and what tests do with its plan subscription. */
export class PlanTenant {
  constructor(
    readonly test: PlanTest,
    readonly tenantId: string,
    readonly id: string,
  ) {}

  get #caller(): Principal {
    return principal(this.tenantId, ["subscription.read", "subscription.manage"]);
  }

  ask(document: string, variables: Record<string, unknown> = {}, key?: string): Promise<Answer> {
    return this.test.spine.ask(this.#caller, document, { id: this.id, ...variables }, key);
  }

  activate(input: object | null = null, key?: string): Promise<Answer> {
    return this.#move("activatePlanSubscription", "ActivatePlanSubscriptionInput", input, key);
  }

  cancel(input: object | null = null): Promise<Answer> {
    return this.#move("cancelPlanSubscription", "CancelPlanSubscriptionInput", input);
  }

  /** As the platform administrator. */
  failPayment(input: object | null = null): Promise<Answer> {
    return this.askPlatform(
      `mutation ($tenantId: ID!, $id: ID!, $input: ReportPaymentFailureInput) {
        plan: reportPaymentFailure(tenantId: $tenantId, planSubscriptionId: $id, input: $input) { ${members} } }`,
      { input },
    );
  }

  /** As the platform administrator. */
  pay(): Promise<Answer> {
    return this.askPlatform(
      `mutation ($tenantId: ID!, $id: ID!) {
        plan: reportPayment(tenantId: $tenantId, planSubscriptionId: $id) { ${members} } }`,
    );
  }

  /** As the platform administrator. */
  activateByPlatform(input: object | null = null, key?: string): Promise<Answer> {
    const document = `mutation ($tenantId: ID!, $id: ID!, $input: ActivatePlanSubscriptionInput) {
      plan: activateTenantPlanSubscription(tenantId: $tenantId, planSubscriptionId: $id, input: $input) { ${members} } }`;
    return this.askPlatform(document, { input }, key);
  }

  askPlatform(document: string, variables: Record<string, unknown> = {}, key?: string): Promise<Answer> {
    const { tenantId, id } = this;
    return this.test.spine.ask(platformAdmin(), document, { tenantId, id, ...variables }, key);
  }

  async plan(): Promise<Json> {
    const { data } = await this.ask(
      `query ($id: ID!) { plan: planSubscription(planSubscriptionId: $id) { ${members} } }`,
    );
    return data?.["plan"];
  }

  becomes(status: string): Promise<void> {
    return until(async () => (await this.plan()).status === status);
  }

  /** The plan subscription's events. */
  async events(): Promise<Envelope[]> {
    const all = await this.test.spine.eventsOf(this.tenantId);
    return all.filter(({ subject }) => subject === `subscriptions/${this.id}`);
  }

  async eventTypes(): Promise<string[]> {
    return (await this.events()).map(({ type }) => type);
  }

  /** Puts the row into a state. */
  async put(columns: string): Promise<void> {
    await this.test.spine.admin.query(`update plan_subscriptions set ${columns} where tenant_id = $1`, [
      decodeId("ten", this.tenantId),
    ]);
  }

  async tenantVersion(): Promise<number> {
    const { rows } = await this.test.spine.admin.query<{ version: string }>(
      "select version from tenants where tenant_id = $1",
      [decodeId("ten", this.tenantId)],
    );
    return Number(rows[0]?.version);
  }

  #move(field: string, type: string, input: object | null, key?: string): Promise<Answer> {
    return this.ask(
      `mutation ($id: ID!, $input: ${type}) { plan: ${field}(planSubscriptionId: $id, input: $input) { ${members} } }`,
      { input },
      key,
    );
  }
}
