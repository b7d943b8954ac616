import type { ClientCredentials } from "@factory/platform/client/platform-api";
import { accessToken, createTenantClient } from "@factory/platform/client/platform-api";
import { tenantScopes } from "@factory/schema/scopes";
import { aPerson } from "../kit/people.js";
import { platform } from "../kit/platform.js";
import { graphql, request } from "../kit/request.js";
import { aPasswordClient, signedIn } from "../kit/sign-ins.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";
import { mailTo } from "../kit/users.js";

interface ListedClient {
  readonly clientId: string;
  readonly createdByPlatform: boolean;
  readonly status: string;
}

const aClientByPlatform = async ({ tenantId }: TestTenant): Promise<ClientCredentials> =>
  createTenantClient(platform(), await platformToken(), tenantId, { name: "Support", scopes: tenantScopes });

const changeClient = (token: string, field: string, clientId: string) =>
  graphql<Record<string, ListedClient>>(
    `mutation ($clientId: ID!) { ${field}(clientId: $clientId) { clientId createdByPlatform status } }`,
    { token, variables: { clientId } },
  );

const codeOf = ({ body }: Awaited<ReturnType<typeof changeClient>>) => body.errors?.[0]?.extensions.code;

it("an owner is told of a client of the platform, disables it, and refuses further ones", async () => {
  const tenant = await aTenant();
  const desk = await aPasswordClient(tenant.tenantId);
  const owner = await aPerson(tenant, "TenantOwner");
  const { access_token: token } = await signedIn(desk, owner);
  const inbox = async () => {
    const { body } = await request<{ items: { body: string; category: string }[] }>(
      `GET /v1/notifications?recipientUserId=${owner.userId}`,
      { token },
    );
    return body.items;
  };
  expect(await inbox()).toEqual([
    expect.objectContaining({ category: "security", body: expect.stringContaining(desk.clientId) }),
  ]);
  const [support, second] = [await aClientByPlatform(tenant), await aClientByPlatform(tenant)];
  const ofSupport = (await inbox()).filter(({ body }) => body.includes(support.clientId));
  expect(ofSupport).toHaveLength(2);
  // the invitation, and one mail for each client
  expect(await mailTo(owner.email, 3)).toContain("created an API client");

  expect((await changeClient(token, "disableApiClient", support.clientId)).body.data?.["disableApiClient"]).toEqual({
    ...{ clientId: support.clientId, createdByPlatform: true, status: "Disabled" },
  });
  const oldToken = await accessToken(platform(), second);
  expect(codeOf(await changeClient(oldToken, "enableApiClient", support.clientId))).toBe("PLATFORM_CLIENT_REFUSED");

  const value = { token, body: { value: false } };
  expect((await request("PUT /v1/config/governance.allowPlatformClients", value)).status).toBe(201);
  await expect(aClientByPlatform(tenant)).rejects.toThrow("PLATFORM_CLIENT_REFUSED");
  const { body } = await graphql<{ apiClients: { items: ListedClient[] } }>(
    "{ apiClients(first: 100) { items { clientId createdByPlatform status } } }",
    { token },
  );
  expect(body.data.apiClients.items.map(({ createdByPlatform, status }) => [createdByPlatform, status])).toEqual([
    ...[
      [true, "Active"],
      [true, "Active"],
      [true, "Disabled"],
      [true, "Active"],
    ],
  ]);
});
