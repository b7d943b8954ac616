import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/messages/envelope";
import { type Answer, type Json, platformAdmin, principal, RunningSpine, until } from "../running-spine.fixture.js";

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
    const spine = await RunningSpine.start({ clock: () => time.test?.now ?? new Date(now) });
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

  failPayment(input: object | null = null): Promise<Answer> {
    return this.#move("reportPaymentFailure", "ReportPaymentFailureInput", input);
  }

  pay(): Promise<Answer> {
    return this.ask(`mutation ($id: ID!) { plan: reportPayment(planSubscriptionId: $id) { ${members} } }`);
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

  /** The events of the plan subscription. */
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
