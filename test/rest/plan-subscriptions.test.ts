import { accessToken, createTenantClient } from "@factory/platform/client/platform-api";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { tenantScopes } from "@factory/schema/scopes";
import { sentCommand } from "../kit/commands.js";
import { aConnection } from "../kit/connections.js";
import { aCredential } from "../kit/credentials.js";
import { rows } from "../kit/database.js";
import { anEdition, anEditionWithTrial } from "../kit/editions.js";
import { eventually } from "../kit/eventually.js";
import { moveMoney } from "../kit/payments.js";
import { aPlanSubscriptionId, reportedOfPayment, type TestPlanSubscription } from "../kit/plan-subscriptions.js";
import { platform } from "../kit/platform.js";
import { aProvider } from "../kit/providers.js";
import { refusal, refusedFields } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";
import { aVendor } from "../kit/vendor.js";

let tenant: TestTenant;
let token: string;
let id: string;

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
  id = await aPlanSubscriptionId(token);
});

const post = (path: string, body?: unknown, as: string | undefined = token, headers: Record<string, string> = {}) =>
  request<TestPlanSubscription>(`POST /v1/subscriptions/${path}`, { token: as, body, headers });
const get = (path = "", as: string | undefined = token) =>
  request<Record<string, unknown> & { items: TestPlanSubscription[] }>(`GET /v1/subscriptions${path}`, { token: as });

const bodyMembers = [
  ...["subscriptionId", "tenantId", "editionCode", "billingCycle", "status", "currentPeriodStart", "currentPeriodEnd"],
  ...["cancelAt", "trialEndsAt", "pastDueSince", "graceEndsAt", "version", "createdAt", "updatedAt"],
];

describe("a charge that the vendor of the tenant refuses", () => {
  it("makes the plan subscription that its command names PastDue", async () => {
    const paying = await aTenant();
    const ownerToken = await paying.tokenWith();
    const planSubscriptionId = await aPlanSubscriptionId(ownerToken);
    await post(`${planSubscriptionId}/activate`, undefined, ownerToken);
    const vendor = await aVendor();
    vendor.behave({ status: 402, body: '{"error":"card_declined"}' });
    const { credentialRef } = await aCredential(ownerToken, { kind: "ApiKey", secret: { apiKey: "key" } });
    const commands = { ChargePayment: { method: "POST", path: "/payments", encoding: "json", body: {} } };
    const providerId = await aProvider(ownerToken, {
      ...{ key: "refusing", baseUrl: vendor.baseUrl, capabilities: ["payments.charge"] },
      driver: { commands, idempotencyHeader: "idempotency-key" },
    });
    await aConnection(ownerToken, providerId, { credentialRef });
    const money = { amountMinor: 1999, currency: "CHF", customerRef: "customer-42" };
    await sentCommand(paying.tenantId, "ChargePayment", { ...money, planSubscriptionId });
    await eventually("the plan subscription is PastDue", async () => {
      const subscriptionAnswer = await get(`/${planSubscriptionId}`, ownerToken);
      return subscriptionAnswer.body["status"] === "PastDue";
    });
    await vendor.close();
  });
});

describe("GET /v1/subscriptions", () => {
  it("lists the plan subscription that provisioning created, by status", async () => {
    const { status, body } = await get();
    expect([status, body.items.length, body["nextCursor"]]).toEqual([200, 1, null]);
    expect(Object.keys(body.items[0] ?? {})).toEqual(bodyMembers);
    const fresh = await aTenant();
    const other = await fresh.tokenWith("subscription.read");
    expect((await get("?status=Pending", other)).body.items).toEqual([
      expect.objectContaining({
        ...{ tenantId: fresh.tenantId, editionCode: "Standard", status: "Pending", billingCycle: null },
        ...{ currentPeriodStart: null, currentPeriodEnd: null, cancelAt: null, version: 1 },
      }),
    ]);
    expect((await get("?status=Active", other)).body.items).toEqual([]);
    const refusedAnswer = await get("?status=Asleep");
    expect([refusal(refusedAnswer), refusedFields(refusedAnswer)]).toEqual([
      "422 PARAMETERS_INVALID",
      ["/status UNKNOWN_VALUE"],
    ]);
  });
});

describe("GET /v1/subscriptions/{id}", () => {
  it("answers what the list shows, with an ETag", async () => {
    const subscriptionAnswer = await get(`/${id}`);
    expect((await get()).body.items).toContainEqual(subscriptionAnswer.body);
    const headers = { "if-none-match": subscriptionAnswer.headers.get("etag") ?? "none" };
    expect((await request(`GET /v1/subscriptions/${id}`, { token, headers })).status).toBe(304);
  });
});

describe("POST /v1/subscriptions/{id}/activate", () => {
  it("activates an edition for a year, and a token shows the edition from then on", async () => {
    const ownTenant = await aTenant();
    const as = await ownTenant.tokenWith();
    const plan = await aPlanSubscriptionId(as);
    const before = Date.now();
    const { status, body } = await post(`${plan}/activate`, { editionCode: "Enterprise", billingCycle: "Annual" }, as);
    expect([status, Object.keys(body)]).toEqual([200, bodyMembers]);
    expect(body).toMatchObject({
      ...{ subscriptionId: plan, tenantId: ownTenant.tenantId, editionCode: "Enterprise", billingCycle: "Annual" },
      ...{ status: "Active", cancelAt: null },
    });
    const [start, end] = [new Date(body.currentPeriodStart ?? 0), new Date(body.currentPeriodEnd ?? 0)];
    expect(Math.abs(start.getTime() - before)).toBeLessThan(30_000);
    expect([end.getUTCFullYear() - start.getUTCFullYear(), end.getUTCMonth()]).toEqual([1, start.getUTCMonth()]);
    const claims = JSON.parse(Buffer.from((await ownTenant.tokenWith()).split(".")[1] ?? "", "base64url").toString());
    expect(claims.editionCode).toBe("Enterprise");
  });

  it("works without a body and with the defaults", async () => {
    const as = await (await aTenant()).tokenWith();
    const { status, body } = await post(`${await aPlanSubscriptionId(as)}/activate`, undefined, as);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ editionCode: "Standard", billingCycle: "Monthly", status: "Active" }),
    ]);
  });

  it("is answered twenty times with one period, one version and one event", async () => {
    const ownTenant = await aTenant();
    const as = await ownTenant.tokenWith();
    const plan = await aPlanSubscriptionId(as);
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(`${plan}/activate`, {}, as)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ status: "Active", version: 2 });
    const again = await post(`${plan}/activate`, { billingCycle: "Monthly" }, as);
    expect(again.text).toBe(answers[0]?.text);
  });

  it("refuses editions and cycles that do not exist, and bodies of another form", async () => {
    const refusalOf = async (body: unknown) => {
      const answer = await post(`${id}/activate`, body);
      return [refusal(answer), refusedFields(answer)];
    };
    expect(await refusalOf({ editionCode: "Gold" })).toEqual([
      "422 REFERENCE_NOT_FOUND",
      ["/editionCode UNKNOWN_VALUE"],
    ]);
    expect(await refusalOf({ billingCycle: "Weekly" })).toEqual([
      "400 VALIDATION_FAILED",
      ["/billingCycle UNKNOWN_VALUE"],
    ]);
    expect(await refusalOf({ billingCycle: 1 })).toEqual(["400 VALIDATION_FAILED", ["/billingCycle TYPE"]]);
    expect(await refusalOf({ editionCode: "" })).toEqual(["400 VALIDATION_FAILED", ["/editionCode TOO_SHORT"]]);
    expect(await refusalOf([])).toEqual(["400 VALIDATION_FAILED", [" TYPE"]]);
    expect((await get(`/${id}`)).body["version"]).toBe(1);
  });
});

describe("POST /v1/subscriptions/{id}/cancel", () => {
  it("cancels at the end of the period or at once, and an activation brings it back", async () => {
    const as = await (await aTenant()).tokenWith();
    const plan = await aPlanSubscriptionId(as);
    const active = (await post(`${plan}/activate`, {}, as)).body;
    const later = (await post(`${plan}/cancel`, undefined, as)).body;
    expect(later).toMatchObject({ status: "Active", cancelAt: active.currentPeriodEnd });
    const now = (await post(`${plan}/cancel`, { atPeriodEnd: false, reason: "Too expensive." }, as)).body;
    expect(now).toMatchObject({ status: "Cancelled" });
    const again = await post(`${plan}/cancel`, {}, as);
    expect([refusal(again), again.body]).toEqual([
      "409 INVALID_STATE",
      expect.objectContaining({ currentState: "Cancelled" }),
    ]);
    expect((await post(`${plan}/activate`, {}, as)).body).toMatchObject({ status: "Active", cancelAt: null });
  });

  it("is done once for one Idempotency-Key", async () => {
    const as = await (await aTenant()).tokenWith();
    const plan = await aPlanSubscriptionId(as);
    await post(`${plan}/activate`, {}, as);
    const send = () => post(`${plan}/cancel`, { atPeriodEnd: false }, as, { "idempotency-key": "leave" });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status, second.headers.get("idempotent-replayed")]).toEqual([200, 200, "true"]);
    expect(second.text).toBe(first.text);
  });
});

describe("the payments of a plan subscription", () => {
  it("are not reported by its tenant, but by the platform administrator", async () => {
    const ownTenant = await aTenant();
    const as = await ownTenant.tokenWith();
    const planSubscriptionId = await aPlanSubscriptionId(as);
    const { currentPeriodEnd } = (await post(`${planSubscriptionId}/activate`, {}, as)).body;
    const plan = { tenantId: ownTenant.tenantId, planSubscriptionId };
    const refusalOf = async (field: string) => {
      const query = `mutation { ${field}(tenantId: "${ownTenant.tenantId}", planSubscriptionId: "${planSubscriptionId}") { status } }`;
      return (await graphql(query, { token: as })).body.errors?.[0]?.extensions.code;
    };
    for (const field of ["reportPaymentFailure", "reportPayment", "activateTenantPlanSubscription"])
      expect(await refusalOf(field)).toBe("INSUFFICIENT_SCOPE");
    expect(await reportedOfPayment("reportPaymentFailure", plan)).toEqual({ status: "PastDue", currentPeriodEnd });
    expect(await refusalOf("reportPayment")).toBe("INSUFFICIENT_SCOPE");
    expect(await reportedOfPayment("reportPayment", plan)).toEqual({ status: "Active", currentPeriodEnd });
  });
});

describe("a charge that succeeds", () => {
  it("ends a failed payment through a connection of the platform, and not through one of the tenant", async () => {
    const ownTenant = await aTenant();
    const as = await ownTenant.tokenWith();
    const planSubscriptionId = await aPlanSubscriptionId(as);
    await post(`${planSubscriptionId}/activate`, {}, as);
    await reportedOfPayment("reportPaymentFailure", { tenantId: ownTenant.tenantId, planSubscriptionId });
    const statusOf = async () => (await get(`/${planSubscriptionId}`, as)).body["status"];
    const closeOwn = await moveMoney(as, ownTenant.tenantId, planSubscriptionId);
    const client = { name: "billing", scopes: tenantScopes };
    const billing = await createTenantClient(platform(), await platformToken(), platformTenantId, client);
    const closePlatforms = await moveMoney(
      await accessToken(platform(), billing),
      platformTenantId,
      planSubscriptionId,
    );
    await eventually("the plan subscription is Active", async () => (await statusOf()) === "Active");
    // the tenant's own charge came first, so it would be the cause
    const causes = () =>
      rows<{ tenantid: string }>(
        `select charged.envelope->>'tenantid' as tenantid from integration.event_log activated
         join integration.event_log charged on charged.envelope->>'id' = activated.envelope->>'causationid'
         where activated.envelope->>'tenantid' = $1 and activated.type = 'SubscriptionActivated'
           and charged.type = 'PaymentCharged'`,
        [ownTenant.tenantId],
      );
    await eventually("the log has the cause", async () => (await causes()).length > 0);
    expect(await causes()).toEqual([{ tenantid: platformTenantId }]);
    await Promise.all([closeOwn(), closePlatforms()]);
  });
});

describe("an edition that only the platform administrator gives", () => {
  it("is refused to a tenant that activates it, and that activates it again after a failed payment", async () => {
    const { code } = await anEdition(await platformToken(), { selfService: false });
    const ownTenant = await aTenant();
    const as = await ownTenant.tokenWith();
    const planSubscriptionId = await aPlanSubscriptionId(as);
    const refusedAnswer = await post(`${planSubscriptionId}/activate`, { editionCode: code }, as);
    expect([refusal(refusedAnswer), refusedAnswer.body]).toEqual([
      "403 EDITION_NOT_SELF_SERVICE",
      expect.objectContaining({ editionCode: code, detail: expect.stringContaining("Ask the operator") }),
    ]);
    const activation = await graphql<{ activateTenantPlanSubscription: TestPlanSubscription }>(
      `mutation { activateTenantPlanSubscription(tenantId: "${ownTenant.tenantId}", planSubscriptionId: "${planSubscriptionId}",
        input: { editionCode: "${code}" }) { status editionCode } }`,
      { token: await platformToken() },
    );
    const active = { status: "Active", editionCode: code };
    expect(activation.body.data?.activateTenantPlanSubscription).toEqual(active);
    await reportedOfPayment("reportPaymentFailure", { tenantId: ownTenant.tenantId, planSubscriptionId });
    const again = await post(`${planSubscriptionId}/activate`, {}, as);
    expect(refusal(again)).toBe("403 EDITION_NOT_SELF_SERVICE");
    expect((await get(`/${planSubscriptionId}`, as)).body).toMatchObject({ ...active, status: "PastDue" });
  });
});

describe("a tenant of an edition with a trial", () => {
  it("is Trialing after its provisioning, and Active after its activation", async () => {
    const as = await (await aTenant(await anEditionWithTrial(30))).tokenWith();
    const plan = await aPlanSubscriptionId(as);
    const { body } = await get(`/${plan}`, as);
    expect(body).toMatchObject({ status: "Trialing", currentPeriodEnd: body["trialEndsAt"] });
    const days = (Date.parse(String(body["trialEndsAt"])) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    const active = (await post(`${plan}/activate`, {}, as)).body;
    expect([active.status, Date.parse(active.currentPeriodStart ?? "") <= Date.now()]).toEqual(["Active", true]);
  });
});
