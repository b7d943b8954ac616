import { refusal, refusedFields } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aPasswordClient, signedIn } from "../kit/sign-ins.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";
import { acceptInvitation, goodPassword, invitationToken } from "../kit/users.js";

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

let tenant: TestTenant;
let token: string;
const ask = (line: string, body?: object) => request<Body>(line, { token, ...(body === undefined ? {} : { body }) });

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
});

describe("international names over REST", () => {
  it("are taken as a webhook endpoint, stored and shown in ASCII", async () => {
    const body = { eventType: "TemplateRegistered", signingSecretRef: "hooks", active: false };
    const creation = await ask("POST /webhooks/subscriptions", {
      ...body,
      endpointUrl: "https://bücher.example/Größe",
    });
    const path = `/webhooks/subscriptions/${creation.body.subscriptionId}`;
    const subscription = await ask(`GET ${path}`);
    expect([creation.status, subscription.body.endpointUrl]).toEqual([
      201,
      "https://xn--bcher-kva.example/Gr%C3%B6%C3%9Fe",
    ]);
    const change = await ask(`PATCH ${path}`, { endpointUrl: "https://BÜCHER.example/hook" });
    expect([change.status, change.body.endpointUrl]).toEqual([200, "https://xn--bcher-kva.example/hook"]);
  });

  it("hide no blocked address from the rules for endpoints", async () => {
    const body = { eventType: "TemplateRegistered", signingSecretRef: "hooks", active: false };
    for (const host of ["１０。0.0.1", "⑩.0.0.1"]) {
      const refusedAnswer = await ask("POST /webhooks/subscriptions", { ...body, endpointUrl: `https://${host}/hook` });
      expect([host, refusal(refusedAnswer), refusedFields(refusedAnswer)]).toEqual([
        host,
        "400 VALIDATION_FAILED",
        ["/endpointUrl FORMAT"],
      ]);
    }
  });

  it("are taken as the base URL of a provider, and for the owner of a tenant", async () => {
    const provider = { key: `intl-${tenant.slug}`, displayName: "Bücher", category: "Tool", authModel: "BearerToken" };
    const providerAnswer = await ask("POST /integrations/providers", {
      ...provider,
      baseUrl: "https://api.bücher.example/v1",
    });
    expect(providerAnswer.status).toBe(201);
    const { body } = await ask(`GET /integrations/providers/${providerAnswer.body.providerId}`);
    expect(body.baseUrl).toBe("https://api.xn--bcher-kva.example/v1");
    const slug = `i${tenant.slug}`;
    const input = { name: "Bücher", slug, editionCode: "Free", ownerEmail: "ada@bücher.example" };
    expect((await request("POST /v1/tenants", { token: await platformToken(), body: input })).status).toBe(201);
  });

  it("are one person from the invitation to the sign-in, however they are written", async () => {
    const invitation = await ask("POST /v1/users/invitations", {
      email: "Zoe\u0308@BÜCHER.example",
      roleCodes: ["Viewer"],
    });
    expect([invitation.status, invitation.body.email]).toEqual([201, "Zoë@xn--bcher-kva.example"]);
    // a mail that needs SMTPUTF8 has its domain in Unicode, too
    const acceptance = await acceptInvitation(await invitationToken("Zoë@bücher.example"));
    expect([acceptance.status, acceptance.body.email]).toEqual([201, "Zoë@xn--bcher-kva.example"]);
    const again = await ask("POST /v1/users/invitations", {
      email: "zoë@xn--BCHER-kva.example",
      roleCodes: ["Viewer"],
    });
    expect(refusal(again)).toMatch(/^409 /);
    const client = await aPasswordClient(tenant.tenantId);
    for (const email of ["zoë@bücher.example", "ZOË@BÜCHER。EXAMPLE", "zoe\u0308@xn--bcher-kva.example"])
      expect([email, (await signedIn(client, { email, password: goodPassword })).status]).toEqual([email, 200]);
    expect((await signedIn(client, { email: "zoe@bücher.example", password: goodPassword })).status).not.toBe(200);
  });
});
