import { graphql, request } from "./request.js";
import { platformToken } from "./tenants.js";

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

/** The id of the tenant's plan subscription. The token names the tenant. */
export async function aPlanSubscriptionId(token: string): Promise<string> {
  const { body } = await request<{ items: TestPlanSubscription[] }>("GET /v1/subscriptions", { token });
  const [plan] = body.items;
  if (!plan) throw new Error("The tenant has no plan subscription");
  return plan.subscriptionId;
}

/** Activates the tenant's plan subscription with this edition. The token names the tenant. */
export async function activated(token: string, editionCode: string): Promise<void> {
  const path = `POST /v1/subscriptions/${await aPlanSubscriptionId(token)}/activate`;
  const { status, text } = await request(path, { token, body: { editionCode } });
  if (status !== 200) throw new Error(text);
}

/** Reports a payment as the platform administrator, and returns the tenant's plan subscription. */
export async function reportedOfPayment(
  field: "reportPayment" | "reportPaymentFailure",
  plan: { readonly tenantId: string; readonly planSubscriptionId: string },
): Promise<Pick<TestPlanSubscription, "status" | "currentPeriodEnd">> {
  const document = `mutation ($tenantId: ID!, $planSubscriptionId: ID!) {
    plan: ${field}(tenantId: $tenantId, planSubscriptionId: $planSubscriptionId) { status currentPeriodEnd } }`;
  const { body, text } = await graphql<{ plan: TestPlanSubscription }>(document, {
    token: await platformToken(),
    variables: { ...plan },
  });
  if (body.errors) throw new Error(text);
  return body.data.plan;
}
