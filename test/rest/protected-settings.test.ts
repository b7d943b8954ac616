import { aSignInClient, browserTokens } from "../kit/code-flow.js";
import { aPerson, type Person } from "../kit/people.js";
import { platform } from "../kit/platform.js";
import { refusal } from "../kit/refusal.js";
import { graphql, type Json, request } from "../kit/request.js";
import { aPasswordClient, signedIn } from "../kit/sign-ins.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";
import { acceptInvitation, anAddress, goodPassword, invitationToken } from "../kit/users.js";

const key = "governance.publish.requiresApproval";
const scope = "openid governance.approve governance.read config.manage config.read";

let tenant: TestTenant;
let owner: Person;
let token: string;

beforeAll(async () => {
  tenant = await aTenant();
  owner = await aPerson(tenant, "TenantOwner");
  token = (await signedIn(await aPasswordClient(tenant.tenantId), owner)).access_token;
});

/** Signs in in a browser. */
async function inBrowser(person: Pick<Person, "email" | "password">): Promise<string> {
  const scopes = scope.split(" ").slice(1);
  const studio = await aSignInClient(tenant.tenantId, { firstParty: true, scopes });
  return (await browserTokens(studio, person, scope)).access_token;
}

/** The owner's second account, which the owner has invited. */
async function aSecondSelf(inviter: string): Promise<Person> {
  const email = anAddress();
  const body = { email, roleCodes: ["TenantOwner"] };
  expect((await request("POST /v1/users/invitations", { token: inviter, body })).status).toBe(201);
  const acceptance = await acceptInvitation(await invitationToken(email));
  return { userId: String(acceptance.body.userId), email, password: goodPassword };
}

const approve = (approvalId: string, as: string) =>
  request<Json>(`POST /v1/approvals/${approvalId}/approve`, { token: as, body: {} });

describe("an owner alone", () => {
  it("does not switch the four-eyes rule off, also not with a second account, and gets 202 with the value in force", async () => {
    const wish = await request<Json>(`PUT /v1/config/${key}`, { token, body: { value: false } });
    const approvalId = String(wish.body["approvalId"]);
    expect([wish.status, wish.headers.get("location")]).toEqual([202, `/v1/approvals/${approvalId}`]);
    expect(wish.body).toEqual({
      ...{ key, value: ["Agent"], isSecret: false, readOnly: false, description: null, version: 0 },
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String), updatedBy: "platform", approvalId },
    });
    expect((await request<Json>(`GET /v1/approvals/${approvalId}`, { token })).body["setting"]).toEqual({
      ...{ key, change: "Set", oldValue: ["Agent"], newValue: false, description: null },
    });
    const second = await aSecondSelf(token);
    const third = await aSecondSelf((await signedIn(await aPasswordClient(tenant.tenantId), second)).access_token);
    for (const self of [owner, second, third])
      expect(refusal(await approve(approvalId, await inBrowser(self)))).toBe("403 SELF_APPROVAL");
    const { body } = await graphql<{ made: { clientId: string; clientSecret: string } }>(
      `mutation { made: createApiClient(input: { name: "me", scopes: ["governance.approve", "config.manage"] }) { clientId clientSecret } }`,
      { token },
    );
    const client = body.data.made;
    const answer = await fetch(`${platform().publicUrl}/connect/token`, {
      method: "POST",
      body: new URLSearchParams({
        ...{ grant_type: "client_credentials", client_id: client.clientId, client_secret: client.clientSecret },
      }),
    });
    const service = String(((await answer.json()) as Json)["access_token"]);
    expect(refusal(await approve(approvalId, service))).toMatch(/^403 (SELF_APPROVAL|PERSON_REQUIRED)$/);
    const ownAnswer = await request(`PUT /v1/config/${key}`, { token: service, body: { value: false } });
    expect(refusal(ownAnswer)).toBe("403 PERSON_REQUIRED");
    expect(refusal(await request(`GET /v1/config/${key}`, { token }))).toBe("404 NOT_FOUND");
  });
});

describe("a weaker value", () => {
  it("is deleted with 202 too, withdrawn by its person, and shown among the approvals", async () => {
    await request(`PUT /v1/config/${key}`, { token, body: { value: ["Agent", "Service"] } });
    const wish = await request<Json>(`DELETE /v1/config/${key}`, { token });
    expect([wish.status, wish.body["value"], wish.body["version"]]).toEqual([202, ["Agent", "Service"], 1]);
    const approvalId = String(wish.body["approvalId"]);
    const pendingList = await request<{ items: Json[] }>("GET /v1/approvals?status=Pending", { token });
    expect(pendingList.body.items.map((item) => item["approvalId"])).toContain(approvalId);
    const withdrawn = await request<Json>(`POST /v1/approvals/${approvalId}/withdraw`, { token, body: {} });
    expect([withdrawn.status, withdrawn.body["status"]]).toEqual([200, "Withdrawn"]);
    expect(refusal(await request(`POST /v1/approvals/${approvalId}/withdraw`, { token, body: {} }))).toBe(
      "409 INVALID_STATE",
    );
    expect((await request<Json>(`GET /v1/config/${key}`, { token })).body["value"]).toEqual(["Agent", "Service"]);
  });

  it("is the stored answer to a repeated request", async () => {
    const headers = { "idempotency-key": "weaker-1" };
    const putSetting = () => request<Json>(`PUT /v1/config/${key}`, { token, headers, body: { value: ["Agent"] } });
    const [first, again] = [await putSetting(), await putSetting()];
    expect([again.status, again.body, again.headers.get("idempotent-replayed")]).toEqual([202, first.body, "true"]);
  });

  it("takes effect when the platform administrator has confirmed the second person", async () => {
    const days = { value: 100 };
    const wish = await request<Json>("PUT /v1/config/retention.auditLogDays", { token, body: days });
    const approvalId = String(wish.body["approvalId"]);
    const second = await aSecondSelf(token);
    const confirm = `POST /v1/tenants/${tenant.tenantId}/users/${second.userId}/confirm`;
    expect(refusal(await request(confirm, { token, body: {} }))).toMatch(/^403 /);
    const as = await inBrowser(second);
    expect((await request(confirm, { token: await platformToken(), body: {} })).status).toBe(200);
    const approval = await approve(approvalId, as);
    expect([approval.status, approval.body["status"]]).toEqual([200, "Approved"]);
    const { body } = await request<Json>("GET /v1/config/retention.auditLogDays", { token });
    expect([body["value"], body["updatedBy"]]).toEqual([100, owner.userId]);
  });
});
