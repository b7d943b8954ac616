import type { Principal } from "@factory/runtime/auth/principal";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { createCommand } from "@factory/runtime/messages/command";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { commandsOf } from "@factory/schema/command-names";
import { type Scope, tenantScopes } from "@factory/schema/scopes";
import { getNamedType } from "graphql";
import { platformAdmin, principal, until } from "../../running-spine.fixture.js";
import { columnsInState, type PlanTenant, PlanTest, start } from "./plan-subscription.fixture.js";

let test: PlanTest;
let other: PlanTenant;
beforeAll(async () => {
  test = await PlanTest.start(start.toISOString());
  await test.edition("Contract", { selfService: false });
  other = await test.tenant("other", "Contract");
});
afterAll(() => test?.spine.stop());

/** Each kind of caller about whose tenant a door is tried. */
const callers: Record<string, (tenant: PlanTenant) => Principal | undefined> = {
  owner: ({ tenantId }) => person(tenantId, tenantScopes),
  member: ({ tenantId }) => person(tenantId, ["templates.read", "subscription.read"]),
  agent: ({ tenantId }) => ({ ...principal(tenantId, tenantScopes), principalType: "Agent", agentTaskId: "task-1" }),
  service: ({ tenantId }) => principal(tenantId, tenantScopes),
  "service with a scope of the platform": ({ tenantId }) => principal(tenantId, [...tenantScopes, "tenant.manage"]),
  "owner of another tenant": () => person(other.tenantId, tenantScopes),
  "platform administrator": () => platformAdmin(),
  "no token": () => undefined,
};

const person = (tenantId: string, scopes: readonly Scope[]): Principal => ({
  ...principal(tenantId, scopes),
  ...{ subject: newId("usr"), principalType: "User", firstParty: true, authTime: Math.floor(Date.now() / 1000) },
});

type Expected = Record<keyof typeof callers, string>;

const platformOnly: Expected = {
  owner: "INSUFFICIENT_SCOPE",
  member: "INSUFFICIENT_SCOPE",
  agent: "INSUFFICIENT_SCOPE",
  service: "INSUFFICIENT_SCOPE",
  "service with a scope of the platform": "PLATFORM_ADMIN_REQUIRED",
  "owner of another tenant": "INSUFFICIENT_SCOPE",
  "platform administrator": "done",
  "no token": "UNAUTHENTICATED",
};

const ownTenant = (ownerAnswer: string): Expected => ({
  owner: ownerAnswer,
  member: "INSUFFICIENT_SCOPE",
  agent: ownerAnswer,
  service: ownerAnswer,
  "service with a scope of the platform": ownerAnswer,
  "owner of another tenant": "NOT_FOUND",
  "platform administrator": "INSUFFICIENT_SCOPE",
  "no token": "UNAUTHENTICATED",
});

/** Every mutation that changes a plan subscription, by the answer to each caller about one that is PastDue. */
const doors: Record<string, { readonly expected: Expected; readonly becomes: string; readonly arguments: string }> = {
  activatePlanSubscription: {
    ...{ expected: ownTenant("EDITION_NOT_SELF_SERVICE"), becomes: "PastDue" },
    arguments: "planSubscriptionId: $id",
  },
  cancelPlanSubscription: {
    ...{ expected: ownTenant("done"), becomes: "Cancelled" },
    arguments: "planSubscriptionId: $id, input: { atPeriodEnd: false }",
  },
  activateTenantPlanSubscription: {
    ...{ expected: platformOnly, becomes: "Active" },
    arguments: "tenantId: $tenantId, planSubscriptionId: $id",
  },
  reportPayment: {
    ...{ expected: platformOnly, becomes: "Active" },
    arguments: "tenantId: $tenantId, planSubscriptionId: $id",
  },
  reportPaymentFailure: {
    ...{ expected: platformOnly, becomes: "PastDue" },
    arguments: "tenantId: $tenantId, planSubscriptionId: $id",
  },
};

let count = 0;
async function anUnpaid(): Promise<PlanTenant> {
  count += 1;
  const tenant = await test.tenant(`unpaid-${count}`, "Contract");
  await tenant.put(columnsInState.PastDue);
  return tenant;
}

describe("the doors to a plan subscription", () => {
  it("are all in this walk", () => {
    const fields = Object.values(test.spine.spine.schema.getMutationType()?.getFields() ?? {});
    const changing = fields.filter(({ type }) => getNamedType(type).name === "PlanSubscription");
    expect(changing.map(({ name }) => name).sort()).toEqual(Object.keys(doors).sort());
    expect(commandsOf("spine")).toEqual(["ProvisionTenant", "GenerateReport", "ExpireInvitation", "RenewSubscription"]);
  });

  it.each(Object.entries(doors))("by %s open only to those whose act it is", async (field, door) => {
    const tenant = await anUnpaid();
    const document = `mutation ($tenantId: ID!, $id: ID!) { ${field}(${door.arguments}) { status } }`;
    const usesTenantId = document.includes("$tenantId,") || door.arguments.includes("$tenantId");
    const text = usesTenantId ? document : document.replace("$tenantId: ID!, ", "");
    const answers: Record<string, string> = {};
    for (const [name, caller] of Object.entries(callers)) {
      await tenant.put(`${columnsInState.PastDue}, cancel_at = null, edition_code = 'Contract'`);
      const { refusal } = await test.spine.ask(caller(tenant), text, { tenantId: tenant.tenantId, id: tenant.id });
      answers[name] = refusal?.["code"] ?? "done";
      const { status } = await tenant.plan();
      expect([field, name, status]).toEqual([field, name, answers[name] === "done" ? door.becomes : "PastDue"]);
    }
    expect(answers).toEqual(door.expected);
  });

  it("do not open by the command RenewSubscription, which renews only what is due", async () => {
    const tenant = await anUnpaid();
    const actor = newId("cli");
    const cause = { trace: continueTrace(undefined), actorId: actor, actorScopes: new Set<string>(tenantScopes) };
    const data = { subscriptionId: tenant.id };
    const command = createCommand(
      { type: "RenewSubscription", subject: `subscriptions/${tenant.id}`, data },
      ...(["catalog", tenant.tenantId, cause] as const),
    );
    await test.spine.host.bus.publish([command]);
    await until(async () =>
      (await test.spine.eventsOf(tenant.tenantId)).some(({ type }) => type === "CommandDeclined"),
    );
    expect((await tenant.plan()).status).toBe("PastDue");
  });
});
