import { spellings } from "@factory/runtime/internet-names/internet-names.fixture";
import { tenantScopes } from "@factory/schema/scopes";
import fc from "fast-check";
import { type Json, platformAdmin, principal, RunningSpine } from "../../running-spine.fixture.js";
import { aUser } from "./user.fixture.js";

let platform: RunningSpine;
let base: string;
let tenantId: string;

beforeAll(async () => {
  platform = await RunningSpine.start();
  base = await platform.listen();
  tenantId = await platform.activeTenant("names");
});

afterAll(() => platform?.stop());

const administrator = () => principal(tenantId, tenantScopes);

const invite = (email: string) =>
  platform.ask(
    administrator(),
    "mutation ($input: InviteUserInput!) { inviteUser(input: $input) { invitationId email } }",
    { input: { email, roleCodes: ["Viewer"] } },
  );

const codeOf = ({ errors }: { errors: readonly Json[] }) => errors[0]?.["extensions"]["code"];

async function usersWith(filter: object): Promise<string[]> {
  const { data } = await platform.ask(
    administrator(),
    "query ($filter: UserFilterInput) { users(filter: $filter) { items { userId } } }",
    { filter },
  );
  return data?.["users"].items.map(({ userId }: Json) => userId);
}

async function signInStatus(username: string, password: string): Promise<number> {
  const { data } = await platform.ask(
    platformAdmin(),
    `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
      createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret } }`,
    { tenantId, input: { name: "test", scopes: ["user.read"], grantTypes: ["password"], firstParty: true } },
  );
  const { clientId, clientSecret } = data?.["createTenantApiClient"] ?? {};
  const form = { client_id: clientId, client_secret: clientSecret, grant_type: "password", username, password };
  return (await fetch(`${base}/connect/token`, { method: "POST", body: new URLSearchParams(form) })).status;
}

const samples = fc.sample(spellings, { numRuns: 12, seed: 27 });

describe("one address in many spellings", () => {
  it.each(samples)("is one user: $address and $other", async ({ address, other }) => {
    const { email, password, userId } = await aUser(platform, tenantId, ["user.read"], address);
    expect([codeOf(await invite(address)), codeOf(await invite(other))]).toEqual(["USER_EXISTS", "USER_EXISTS"]);
    expect([await usersWith({ email: other }), await usersWith({ email })]).toEqual([[userId], [userId]]);
    expect(await signInStatus(other, password)).toBe(200);
  });

  it("is one invitation, stored and shown in one form", async () => {
    const { data } = await invite("Zoe\u0308@BÜCHER.example");
    expect(data?.["inviteUser"].email).toBe("Zoë@xn--bcher-kva.example");
    for (const email of ["zoë@bücher.example", "ZOË@xn--BCHER-kva.example", "Zoë@bücher。example"])
      expect(codeOf(await invite(email))).toBe("INVITATION_PENDING");
    const { rows } = await platform.admin.query("select email, email_key from invitations where email like 'Zo%'");
    expect(rows).toEqual([{ email: "Zoë@xn--bcher-kva.example", email_key: "zoë@xn--bcher-kva.example" }]);
  });

  it("is refused or let in by its domain, however the domain and the setting are written", async () => {
    const set = (value: unknown) =>
      platform.ask(
        administrator(),
        'mutation ($input: SetConfigurationInput!) { setConfigEntry(key: "signIn.allowedEmailDomains", input: $input) { value } }',
        { input: { value } },
      );
    expect((await set(["Bücher.example"])).data?.["setConfigEntry"].value).toEqual(["xn--bcher-kva.example"]);
    const twice = await set(["bücher.example", "xn--bcher-kva.example"]);
    expect(twice.errors[0]?.["extensions"]?.["errors"]).toMatchObject([{ pointer: "/input/value", code: "DUPLICATE" }]);
    expect(codeOf(await invite("ann@bu\u0308cher.example"))).toBeUndefined();
    expect(codeOf(await invite("ann@bucher.example"))).toBe("EMAIL_DOMAIN_REFUSED");
    await set([]);
  });
});
