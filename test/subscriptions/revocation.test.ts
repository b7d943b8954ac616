import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { refusal } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
import { aTenant, moved, platformToken, type TestTenant } from "../kit/tenants.js";

const query = "subscription { events { type } }";

const readTemplate = (token: string) => request("GET /v1/templates/tpl_01jz3b0q8xk0n8v3m1w6y5t2r7", { token });

describe("a tenant that is suspended", () => {
  let tenant: TestTenant;
  let token: string;

  beforeAll(async () => {
    tenant = await aTenant();
    token = await tenant.tokenWith();
  });

  it("loses its websockets and its tokens, and other tenants do not", async () => {
    const stranger = await aTenant();
    const strangersToken = await stranger.tokenWith();
    const feed = await aFeed({ query, token });
    const strangersFeed = await aFeed({ query, token: strangersToken });
    expect(refusal(await readTemplate(token))).toBe("404 TEMPLATE_NOT_FOUND");
    expect(await moved(tenant, "suspendTenant")).toBe("Suspended");
    expect(await feed.closed).toMatchObject({ code: 4403 });
    await eventually("the token is refused", async () => refusal(await readTemplate(token)) === "403 TENANT_SUSPENDED");
    expect((await graphql("{ templates { items { templateId } } }", { token })).status).toBe(403);
    expect((await (await aFeed({ query, token })).closed).code).toBe(4403);
    await expect(tenant.tokenWith()).rejects.toThrow(/TENANT_SUSPENDED/);
    expect(refusal(await readTemplate(strangersToken))).toBe("404 TEMPLATE_NOT_FOUND");
    await strangersFeed.stop();
  });

  it("is served again with its former tokens after it was resumed", async () => {
    expect(await moved(tenant, "resumeTenant")).toBe("Active");
    await eventually(
      "the token is accepted",
      async () => refusal(await readTemplate(token)) === "404 TEMPLATE_NOT_FOUND",
    );
    const feed = await aFeed({ query, token });
    expect(feed.errors).toEqual([]);
    await feed.stop();
    await expect(tenant.tokenWith()).resolves.toEqual(expect.any(String));
  });

  it("can be read by a platform administrator while it is suspended", async () => {
    await moved(tenant, "suspendTenant");
    const answer = await request<{ status: string }>(`GET /v1/tenants/${tenant.tenantId}`, {
      token: await platformToken(),
    });
    expect(answer.body.status).toBe("Suspended");
  });
});
