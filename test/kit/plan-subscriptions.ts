import { request } from "./request.js";

/** A plan subscription, as REST shows it. */
export interface TestPlanSubscription {
  readonly subscriptionId: string;
  readonly tenantId: string;
  readonly editionCode: string;
  readonly billingCycle: string | null;
  readonly status: string;
  readonly currentPeriodStart: string | null;
  readonly currentPeriodEnd: string | null;
  readonly cancelAt: string | null;
  readonly version: number;
}

/** The id of the plan subscription of the token's tenant. */
export async function aPlanSubscriptionId(token: string): Promise<string> {
  const { body } = await request<{ items: TestPlanSubscription[] }>("GET /v1/subscriptions", { token });
  const [plan] = body.items;
  if (!plan) throw new Error("The tenant has no plan subscription");
  return plan.subscriptionId;
}

/** Activates the plan subscription of the token's tenant with this edition. */
export async function activated(token: string, editionCode: string): Promise<void> {
  const path = `POST /v1/subscriptions/${await aPlanSubscriptionId(token)}/activate`;
  const { status, text } = await request(path, { token, body: { editionCode } });
  if (status !== 200) throw new Error(text);
}
