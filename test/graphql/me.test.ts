import { tenantScopes } from "@factory/schema/scopes";
import { anAgent, exchange } from "../kit/agents.js";
import { Browser } from "../kit/browser.js";
import { aThirdPartyClient, authorizeUrl, redeem, returned, signInAs } from "../kit/code-flow.js";
import { aPerson } from "../kit/people.js";
import { platform } from "../kit/platform.js";
import { graphql, type Json } from "../kit/request.js";
import { aPasswordClient, signedIn } from "../kit/sign-ins.js";
import { aTenant } from "../kit/tenants.js";

const document = `{ me { principalType subject clientId tenantId tenantSlug scopes roles platformAdmin agentTaskId
  user { userId email } tenant { tenantId status } } }`;

describe("the query me", () => {
  it("describes a user as the token does, with the user record, for any scopes", async () => {
    const tenant = await aTenant();
    const person = await aPerson(tenant, "Viewer");
    const client = await aPasswordClient(tenant.tenantId, ["templates.read"]);
    const { body } = await graphql(document, { token: (await signedIn(client, person)).access_token });
    expect(body).toEqual({
      data: {
        me: {
          principalType: "User",
          subject: person.userId,
          clientId: client.clientId,
          tenantId: tenant.tenantId,
          tenantSlug: expect.any(String),
          scopes: ["templates.read"],
          roles: ["Viewer"],
          platformAdmin: false,
          agentTaskId: null,
          user: { userId: person.userId, email: person.email },
          tenant: { tenantId: tenant.tenantId, status: "Active" },
        },
      },
    });
  });

  it("returns no user record for a service", async () => {
    const tenant = await aTenant();
    const { body } = await graphql(document, { token: await tenant.tokenWith(...tenantScopes) });
    expect(body).toMatchObject({
      data: {
        me: { principalType: "Service", tenantId: tenant.tenantId, scopes: [...tenantScopes].sort(), user: null },
      },
    });
  });

  it("shows a third-party client and an agent only the data of the user that the consent covers", async () => {
    const tenant = await aTenant();
    const person = await aPerson(tenant, "TenantOwner");
    const grant = { scopes: ["templates.read", "user.read"] };
    const client = await aThirdPartyClient(await tenant.tokenWith(), grant);
    const browser = new Browser(platform().publicUrl);
    returned(
      await browser.submit(
        await signInAs(
          browser,
          await browser.open(authorizeUrl(client, { scope: "openid templates.read user.read" })),
          person,
        ),
        { action: "allow" },
      ),
    );
    const tokenWith = async (scope: string) => {
      const { code } = returned(await browser.open(authorizeUrl(client, { scope })));
      return String((await redeem(client, String(code))).body["access_token"]);
    };
    const narrow = await tokenWith("templates.read");
    const userSeenBy = async (token: string) => (await graphql<Json>(document, { token })).body.data?.["me"]?.["user"];
    const agent = await anAgent(tenant.tenantId);
    const { body } = await exchange(agent, narrow);
    expect([await userSeenBy(narrow), await userSeenBy(String(body["access_token"]))]).toEqual([null, null]);
    for (const scope of ["openid templates.read", "templates.read user.read"])
      expect(await userSeenBy(await tokenWith(scope))).toEqual({ userId: person.userId, email: person.email });
  });
});
