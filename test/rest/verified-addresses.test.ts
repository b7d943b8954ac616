import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { decodeJwt } from "jose";
import { redeem, type SignInClient } from "../kit/code-flow.js";
import { rows } from "../kit/database.js";
import { anIdentityClient, tokensOf } from "../kit/identity-sign-ins.js";
import { resetToken } from "../kit/own-security.js";
import { aPerson, type Person } from "../kit/people.js";
import { graphql, request } from "../kit/request.js";
import { aTenant, moved, type TestTenant } from "../kit/tenants.js";

let tenant: TestTenant;
let client: SignInClient;

beforeAll(async () => {
  tenant = await aTenant();
  client = await anIdentityClient(tenant);
});

/** The claim in the ID token and at the userinfo endpoint. */
async function verdicts(person: Person): Promise<unknown[]> {
  const tokens = await tokensOf(client, person, { scope: "openid email" });
  const { body } = await request("GET /connect/userinfo", { token: String(tokens["access_token"]) });
  return [decodeJwt(String(tokens["id_token"]))["email_verified"], body["email_verified"]];
}

const store = ({ userId }: Person, change: string) =>
  rows(`update spine.users set ${change} where user_id = $1`, [decodeId("usr", userId)]);

describe("email_verified", () => {
  it("is true for a person who accepted an invitation by its mail", async () => {
    expect(await verdicts(await aPerson(tenant))).toEqual([true, true]);
  });

  it("is false for an address that has changed since, and true again after a link was mailed to it", async () => {
    const person = await aPerson(tenant);
    const email = `new.${person.email}`;
    await store(person, `email = '${email}', email_key = '${email}'`);
    const moving = { ...person, email, password: "another horse battery" };
    expect(await verdicts({ ...person, email })).toEqual([false, false]);
    const input = { token: await resetToken(moving, 0), password: moving.password };
    const { body } = await graphql(
      "mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) { status } }",
      { variables: { input } },
    );
    expect(body.errors).toBeUndefined();
    expect(await verdicts(moving)).toEqual([true, true]);
  });

  it("is false where nothing proves the address, and a refresh says what is true now", async () => {
    const person = await aPerson(tenant);
    const tokens = await tokensOf(client, person, { scope: "openid email" });
    await store(person, "verified_email_key = null");
    const refresh = { grant_type: "refresh_token", refresh_token: String(tokens["refresh_token"]) };
    const { body } = await redeem(client, "", refresh);
    expect(decodeJwt(String(body["id_token"]))["email_verified"]).toBe(false);
    expect(await verdicts(person)).toEqual([false, false]);
  });
});

describe("a sign-in with identity scopes alone", () => {
  it("ends with the tenant and with the person, also with offline_access", async () => {
    const ownTenant = await aTenant();
    const shop = await anIdentityClient(ownTenant);
    const scope = "openid profile email offline_access";
    const [leaver, stayer] = [await aPerson(ownTenant), await aPerson(ownTenant)];
    const tokens = new Map<Person, Record<string, unknown>>();
    for (const person of [leaver, stayer])
      tokens.set(person, await tokensOf(shop, person, { scope, prompt: "consent" }));
    const ask = async (person: Person) => {
      const token = String(tokens.get(person)?.["access_token"]);
      const { status } = await request("GET /connect/userinfo", { token });
      const form = { grant_type: "refresh_token", refresh_token: String(tokens.get(person)?.["refresh_token"]) };
      return [status, (await redeem(shop, "", form)).body["error"]];
    };
    await request(`POST /v1/users/${leaver.userId}/disable`, { token: await ownTenant.tokenWith() });
    expect(await ask(leaver)).toEqual([401, "invalid_grant"]);
    expect(await moved(ownTenant, "suspendTenant")).toBe("Suspended");
    expect(await ask(stayer)).toEqual([401, "invalid_grant"]);
  });

  it("ends when the tenant comes to require a second factor, also with offline_access", async () => {
    const ownTenant = await aTenant();
    const shop = await anIdentityClient(ownTenant);
    const person = await aPerson(ownTenant);
    const tokens = await tokensOf(shop, person, { scope: "openid offline_access", prompt: "consent" });
    const refresh = (refreshToken: unknown) =>
      redeem(shop, "", { grant_type: "refresh_token", refresh_token: String(refreshToken) });
    const before = await refresh(tokens["refresh_token"]);
    expect(before).toMatchObject({ status: 200, body: { scope: "openid offline_access" } });
    const token = await ownTenant.tokenWith();
    await request("PUT /v1/config/signIn.secondFactor", { token, body: { value: "required" } });
    const after = await refresh(before.body["refresh_token"]);
    expect(after).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });
});
