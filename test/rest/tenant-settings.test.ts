import { execFileSync } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Scope } from "@factory/schema/scopes";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { executed } from "../kit/executions.js";
import { platform } from "../kit/platform.js";
import { setByPeople } from "../kit/protected-settings.js";
import { aReceiver } from "../kit/receiver.js";
import { refusal, refusedFields } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, type TestVersion } from "../kit/templates.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";

const setLimits = `mutation ($tenantId: ID!, $input: TenantLimitsInput!) {
  setTenantLimits(tenantId: $tenantId, input: $input) { tenantId }
}`;

/** Prints how long something took after an answer, which a test's patience only bounds. */
async function within(expectation: string, condition: () => Promise<boolean>, timeoutMs = 180_000): Promise<void> {
  const start = performance.now();
  await eventually(expectation, condition, timeoutMs);
  process.stdout.write(`${expectation}: after ${Math.round(performance.now() - start)} ms\n`);
}

async function configure(token: string, key: string, value: unknown): Promise<void> {
  const { status, text } = await request(`PUT /v1/config/${key}`, { token, body: { value } });
  if (status !== 200 && status !== 201) throw new Error(text);
}

describe("the settings of a tenant for executions", () => {
  let tenant: TestTenant;
  let token: string;
  let version: TestVersion;
  beforeAll(async () => {
    tenant = await aTenant();
    token = await tenant.tokenWith();
    version = await aTemplateVersion(token, await aTemplateSource());
  });

  const execute = (input: Record<string, unknown> = {}) =>
    request(`POST /v1/templates/${version.templateId}/execute`, {
      token,
      body: { templateVersionId: version.templateVersionId, target: { repository: "acme/settings" }, ...input },
    });
  const evaluate = () =>
    request("POST /v1/libraries/compatibility/evaluate", {
      token,
      body: { runtime: "net8.0", libraries: [{ packageName: "Acme.Unheard", version: "1.0.0" }] },
    });

  it("refuse drafts with execution.requirePublished, and allow them again", async () => {
    expect((await execute()).status).toBe(202);
    await configure(token, "execution.requirePublished", true);
    await within("drafts are refused", async () => {
      const { status, body } = await execute();
      return status === 409 && body["code"] === "TEMPLATE_VERSION_NOT_PUBLISHED";
    });
    const { templateId, templateVersionId } = version;
    const preview = async (scopes: Scope[]) => {
      const variables = { templateId, input: { templateVersionId, target: { repository: "acme/tried" } } };
      const document = `query ($templateId: ID!, $input: RequestExecutionInput!) {
        previewExecution(templateId: $templateId, input: $input) { files { path } error { code } } }`;
      return (
        await graphql<{ previewExecution: { files: object[]; error: null } }>(document, {
          ...{ token: await tenant.tokenWith(...scopes), variables },
        })
      ).body;
    };
    const previewAnswer = await preview(["templates.execute", "templates.write"]);
    expect(previewAnswer.data?.previewExecution).toMatchObject({
      error: null,
      files: expect.arrayContaining([expect.anything()]),
    });
    const refusedAnswer = await preview(["templates.execute", "templates.read"]);
    expect(refusedAnswer.errors?.[0]?.extensions.code).toBe("TEMPLATE_VERSION_NOT_PUBLISHED");
    await setByPeople(tenant, "execution.requirePublished", false);
    await within("drafts are executed", async () => (await execute()).status === 202);
  });

  it("put scaffold.repositoryBase before the shorthand, under the rules for URLs", async () => {
    const base = await mkdtemp(join(platform().dataDir, "base-"));
    const repository = join(base, "acme", "orders.git");
    execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", repository]);
    await configure(token, "scaffold.repositoryBase", `${pathToFileURL(base).href}/`);
    const run = () => executed(token, version, { target: { repository: "acme/orders.git" } });
    await within("the target is below the base", async () => {
      const { status, output } = await run();
      return status === "Completed" && output?.repository === pathToFileURL(repository).href;
    });
    expect(execFileSync("git", ["-C", repository, "ls-tree", "--name-only", "main"]).toString()).not.toBe("");
    const ssh = await request("PUT /v1/config/scaffold.repositoryBase", {
      token,
      body: { value: "ssh://git.example/scm" },
    });
    expect([refusal(ssh), refusedFields(ssh)]).toEqual(["422 CONFIGURATION_INVALID", ["/value UNKNOWN_VALUE"]]);
    await configure(token, "scaffold.repositoryBase", "https://10.0.0.1/scm");
    await within("a base that targets may not use is refused", async () => {
      const { status, body } = await execute();
      return status === 422 && body["code"] === "TARGET_INVALID";
    });
    expect((await request("DELETE /v1/config/scaffold.repositoryBase", { token })).status).toBe(204);
    await within("the git store of the platform is used again", async () => (await execute()).status === 202);
  });

  it("make unknown libraries a violation, which execution.requireCompatible refuses", async () => {
    expect((await evaluate()).body).toMatchObject({ compatible: true });
    await configure(token, "compatibility.unknownLibraries", "violation");
    await within("an unknown library is a violation", async () => {
      const { body } = await evaluate();
      return body["compatible"] === false && body["violations"]?.[0]?.["rule"] === "LibraryNotRegistered";
    });
    const libraries = [{ packageName: "Acme.Unheard", version: "1.0.0" }];
    expect((await execute({ libraries })).status).toBe(202);
    await configure(token, "execution.requireCompatible", true);
    await within("incompatible libraries are refused", async () => {
      const { status, body } = await execute({ libraries });
      return status === 409 && body["code"] === "LIBRARIES_INCOMPATIBLE";
    });
    expect((await execute()).status).toBe(202);
  });
});

describe("the edition of a tenant", () => {
  it("limits webhook subscriptions, also of requests at the same time, and acts without a new token", async () => {
    const tenant = await aTenant();
    const [token, receiver] = [await tenant.tokenWith(), await aReceiver()];
    const plans = await request<{ items: { subscriptionId: string }[] }>("GET /v1/subscriptions", { token });
    const plan = plans.body.items[0]?.subscriptionId;
    const activate = async (editionCode: string) => {
      const body = { editionCode, billingCycle: "Monthly" };
      const { status, text } = await request(`POST /v1/subscriptions/${plan}/activate`, { token, body });
      if (status !== 200) throw new Error(text);
    };
    const subscribe = (name: string) =>
      request("POST /webhooks/subscriptions", {
        token,
        body: { eventType: "TemplateRegistered", endpointUrl: `${receiver.url}/${name}`, signingSecretRef: "limited" },
      });
    await activate("Free");
    await within("integration has the edition Free", async () => {
      const text = "select edition_code from integration.tenant_projections where tenant_id = $1";
      const [copy] = await rows<{ edition_code: string }>(text, [decodeId("ten", tenant.tenantId)]);
      return copy?.edition_code === "Free";
    });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, place) => subscribe(`${place}`)));
    const withStatus = (expectedStatus: number) => answers.filter(({ status }) => status === expectedStatus).length;
    expect([withStatus(201), withStatus(403)]).toEqual([3, 9]);
    expect(answers.find(({ status }) => status === 403)?.body).toMatchObject({
      ...{ code: "ENTITLEMENT_DENIED", limit: 3, featureKey: "webhooks.max", editionCode: "Free" },
    });
    await activate("Enterprise");
    await within("a fourth subscription is created", async () => (await subscribe("fourth")).status === 201);
    await activate("Free");
    await within("the tenant is above its limit", async () => (await subscribe("fifth")).status === 403);
    const { body } = await request<{ items: { subscriptionId: string }[] }>("GET /webhooks/subscriptions", { token });
    const [disabledId = "", ...others] = body.items.map(({ subscriptionId }) => subscriptionId);
    expect(others.length).toBeGreaterThanOrEqual(3);
    const disabling = "update integration.webhook_subscriptions set status = 'Disabled' where subscription_id = $1";
    await rows(disabling, [decodeId("whs", disabledId)]);
    const at = (method: string, id: string, move = "") =>
      request(`${method} /webhooks/subscriptions/${id}${move}`, { token });
    expect(refusal(await at("POST", disabledId, "/resume"))).toBe("403 ENTITLEMENT_DENIED");
    for (const move of ["/pause", "/resume"]) expect((await at("POST", others[0] ?? "", move)).status).toBe(200);
    for (const id of others.slice(2)) expect((await at("DELETE", id)).status).toBe(204);
    expect((await at("POST", disabledId, "/resume")).status).toBe(200);
    expect((await at("DELETE", disabledId)).status).toBe(204);
    await receiver.close();
  });
});

describe("the limits of a tenant", () => {
  let tenant: TestTenant;
  let token: string;
  beforeAll(async () => {
    tenant = await aTenant();
    token = await tenant.tokenWith();
  });

  /** How many reads a minute an answer promises. */
  const quota = async () => {
    const { headers } = await request("GET /v1/users?limit=1", { token });
    return Number(/q=(\d+)/.exec(headers.get("ratelimit-policy") ?? "")?.[1]);
  };

  it("act on the next requests with the same token", async () => {
    const before = await quota();
    const { body } = await graphql(setLimits, {
      token: await platformToken(),
      variables: { tenantId: tenant.tenantId, input: { rateLimitFactor: 2 } },
    });
    expect(body.errors).toBeUndefined();
    await within("the rate limit is twice as high", async () => (await quota()) === 2 * before);
  });

  it("act within a minute although the event is lost", async () => {
    const before = await quota();
    await rows(
      `update spine.tenants set limits = '{"rateLimitFactor":6}', version = version + 1, changed_at = clock_timestamp()
       where tenant_id = $1`,
      [decodeId("ten", tenant.tenantId)],
    );
    await within("the rate limit is three times as high", async () => (await quota()) === 3 * before);
  });

  it("let executions wait while as many run as the platform allows", async () => {
    const { body } = await graphql(setLimits, {
      token: await platformToken(),
      variables: { tenantId: tenant.tenantId, input: { maxRunningExecutions: 1 } },
    });
    expect(body.errors).toBeUndefined();
    await within("the catalog has the limit", async () => {
      const text = "select limits from catalog.tenant_projections where tenant_id = $1";
      const [copy] = await rows<{ limits: Record<string, number> }>(text, [decodeId("ten", tenant.tenantId)]);
      return copy?.limits["maxRunningExecutions"] === 1;
    });
    const version = await aTemplateVersion(token, await aTemplateSource());
    const run = (place: number) => executed(token, version, { target: { repository: `acme/limited-${place}` } });
    const runs = await Promise.all(Array.from({ length: 4 }, (_, place) => run(place)));
    expect(runs.map(({ status }) => status)).toEqual(Array(4).fill("Completed"));
    const overlaps = await rows(
      `select from catalog.executions one join catalog.executions other
         on other.tenant_id = one.tenant_id and other.execution_id > one.execution_id
         and other.started_at < one.completed_at and one.started_at < other.completed_at
       where one.tenant_id = $1`,
      [decodeId("ten", tenant.tenantId)],
    );
    expect(overlaps).toHaveLength(0);
  });
});
