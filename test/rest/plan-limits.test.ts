import { anEdition } from "../kit/editions.js";
import { eventually } from "../kit/eventually.js";
import { activated, aPlanSubscriptionId } from "../kit/plan-subscriptions.js";
import { refusal } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, finished } from "../kit/templates.js";
import { aTenant, platformToken } from "../kit/tenants.js";
import { acceptInvitation, anAddress, anInvitation, invitationToken } from "../kit/users.js";

const features = {
  "executions.monthly": { kind: "metered", limit: 3, period: "month", soft: false },
  "users.max": { kind: "limit", limit: 5 },
  "webhooks.max": { kind: "limit", limit: 3 },
};

/** A token for a new tenant with this plan. */
async function subscribed(changes: Record<string, unknown> = {}): Promise<string> {
  const { code } = await anEdition(await platformToken(), { features: { ...features, ...changes } });
  const token = await (await aTenant()).tokenWith();
  await activated(token, code);
  return token;
}

const usageOf = async (token: string, featureKey: string) => {
  const { body } = await graphql<{ entitlements: { items: { featureKey: string; usage: number | null }[] } }>(
    "{ entitlements { items { featureKey usage } } }",
    { token },
  );
  return body.data.entitlements.items.find((item) => item.featureKey === featureKey)?.usage;
};

describe("executions.monthly", () => {
  it("counts what is accepted, also a retry, and answers 429 with the time of the reset", async () => {
    const token = await subscribed();
    const { templateId, templateVersionId } = await aTemplateVersion(token, "stored://nowhere");
    const path = `POST /v1/templates/${templateId}/execute`;
    const body = { templateVersionId, target: { repository: "acme/orders" } };
    const refusedAnswer = await request(path, { token, body: { ...body, templateVersionId: "tpv_none" } });
    expect(refusedAnswer.status).toBe(404);
    const headers = { "idempotency-key": "first" };
    const both = await Promise.all([1, 2].map(() => request<{ executionId: string }>(path, { token, body, headers })));
    expect(new Set(both.map((answer) => answer.body.executionId)).size).toBe(1);
    const executionId = both[0]?.body.executionId ?? "";
    expect(await finished(token, templateId, executionId)).toMatchObject({ status: "Failed" });
    await eventually("one execution counts", async () => (await usageOf(token, "executions.monthly")) === 1);
    const retry = `mutation { retryExecution(executionId: "${executionId}", input: {}) { executionId } }`;
    expect((await graphql<{ retryExecution: unknown }>(retry, { token })).body.data?.retryExecution).toBeTruthy();
    expect((await request(path, { token, body })).status).toBe(202);
    expect(await usageOf(token, "executions.monthly")).toBe(3);
    const over = await request<Record<string, unknown>>(path, { token, body });
    expect(refusal(over)).toBe("429 QUOTA_EXCEEDED");
    const now = new Date();
    const resetAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
    expect(over.body).toMatchObject({ limit: 3, featureKey: "executions.monthly", resetAt: resetAt.toISOString() });
    const seconds = Number(over.headers.get("retry-after"));
    expect(Math.abs(seconds - (resetAt.getTime() - now.getTime()) / 1000)).toBeLessThan(10);
    expect(await usageOf(token, "executions.monthly")).toBe(3);
  });

  it("is never exceeded by parallel requests", async () => {
    const token = await subscribed();
    const { templateId, templateVersionId } = await aTemplateVersion(token, await aTemplateSource());
    const body = { templateVersionId, target: { repository: "acme/orders" } };
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => request(`POST /v1/templates/${templateId}/execute`, { token, body })),
    );
    expect(answers.map(({ status }) => status).toSorted((value, other) => value - other)).toEqual([
      202,
      202,
      202,
      ...Array(9).fill(429),
    ]);
  });

  it("is refused while the edition does not have it", async () => {
    const { code } = await anEdition(await platformToken());
    const token = await (await aTenant()).tokenWith();
    const { templateId, templateVersionId } = await aTemplateVersion(token, await aTemplateSource());
    await activated(token, code);
    const body = { templateVersionId, target: { repository: "acme/orders" } };
    const denial = await request(`POST /v1/templates/${templateId}/execute`, { token, body });
    expect(refusal(denial)).toBe("403 ENTITLEMENT_DENIED");
    expect(denial.body).toMatchObject({ featureKey: "executions.monthly", editionCode: code });
  });
});

describe("users.max", () => {
  it("counts users and open invitations: of 30 parallel invitations exactly five are open", async () => {
    const token = await subscribed();
    const open = async () => (await usageOf(token, "users.max")) ?? 0;
    // provisioning has invited the owner
    expect(await open()).toBe(1);
    const invite = () =>
      request("POST /v1/users/invitations", { token, body: { email: anAddress(), roleCodes: ["Viewer"] } });
    const answers = await Promise.all(Array.from({ length: 30 }, invite));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
    const [denial] = answers.filter(({ status }) => status === 403);
    expect(denial && refusal(denial)).toBe("403 ENTITLEMENT_DENIED");
    expect(denial?.body).toMatchObject({ limit: 5, featureKey: "users.max" });
    expect(await open()).toBe(5);
  });

  it("gives the seat of a disabled user to another one, and refuses to enable the first one then", async () => {
    const token = await subscribed({ "users.max": { kind: "limit", limit: 2 } });
    const invitation = await anInvitation(token);
    const acceptance = await acceptInvitation(await invitationToken(invitation.email));
    expect(acceptance.status).toBe(201);
    const { userId } = acceptance.body;
    await request(`POST /v1/users/${userId}/disable`, { token });
    await anInvitation(token);
    const activation = await request(`POST /v1/users/${userId}/enable`, { token });
    expect(refusal(activation)).toBe("403 ENTITLEMENT_DENIED");
  });

  it("lets nobody accept above a lowered limit", async () => {
    const token = await subscribed();
    const [first, second] = [await anInvitation(token), await anInvitation(token)];
    const lower = await anEdition(await platformToken(), {
      features: { ...features, "users.max": { kind: "limit", limit: 1 } },
    });
    await activated(token, lower.code);
    const tokens = await Promise.all([first, second].map(({ email }) => invitationToken(email)));
    const answers = await Promise.all(tokens.map((mailToken) => acceptInvitation(mailToken)));
    expect(answers.map(({ status }) => status).toSorted((value, other) => value - other)).toEqual([201, 403]);
  });
});

describe("a cancelled plan", () => {
  it("refuses new executions and invitations, and nothing else", async () => {
    const token = await subscribed();
    const { templateId, templateVersionId } = await aTemplateVersion(token, await aTemplateSource());
    const invitation = await anInvitation(token);
    const id = await aPlanSubscriptionId(token);
    const cancellation = await request(`POST /v1/subscriptions/${id}/cancel`, { token, body: { atPeriodEnd: false } });
    expect(cancellation.status).toBe(200);
    const execute = () =>
      request(`POST /v1/templates/${templateId}/execute`, {
        token,
        body: { templateVersionId, target: { repository: "acme/orders" } },
      });
    await eventually("executions are refused", async () => refusal(await execute()) === "403 ENTITLEMENT_DENIED");
    const again = { email: anAddress(), roleCodes: ["Viewer"] };
    expect(refusal(await request("POST /v1/users/invitations", { token, body: again }))).toBe("403 ENTITLEMENT_DENIED");
    const revocation = await request(`POST /v1/users/invitations/${invitation.invitationId}/revoke`, { token });
    expect(revocation.status).toBe(200);
    expect((await request("GET /v1/users?limit=1", { token })).status).toBe(200);
  });
});
