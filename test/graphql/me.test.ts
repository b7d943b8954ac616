import { tenantScopes } from "@factory/schema/scopes";
import { aPerson } from "../kit/people.js";
import { graphql } from "../kit/request.js";
import { aPasswordClient, signedIn } from "../kit/sign-ins.js";
import { aTenant } from "../kit/tenants.js";

const document = `{ me { principalType subject clientId tenantId tenantSlug scopes roles platformAdmin agentTaskId
  user { userId email } tenant { tenantId status } } }`;

describe("the query me", () => {
  it("says of a person what the token says, with the own record, whatever the scopes are", async () => {
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

  it("says of a service that it has no record of a person", async () => {
    const tenant = await aTenant();
    const { body } = await graphql(document, { token: await tenant.tokenWith(...tenantScopes) });
    expect(body).toMatchObject({
      data: {
        me: { principalType: "Service", tenantId: tenant.tenantId, scopes: [...tenantScopes].sort(), user: null },
      },
    });
  });

  it("needs a token", async () => {
    const { status, body } = await graphql("{ me { subject } }");
    expect([status, body.errors?.[0]?.extensions.code]).toEqual([401, "UNAUTHENTICATED"]);
  });
});
