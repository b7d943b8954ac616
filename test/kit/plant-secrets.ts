import { generateKeyPairSync, randomBytes } from "node:crypto";
import { accessToken } from "@factory/platform/client/platform-api";
import type { Canaries } from "./canaries.js";
import { addAuthenticator, ownSecurityPage } from "./own-security.js";
import { aPerson } from "./people.js";
import { platform } from "./platform.js";
import { graphql, request } from "./request.js";
import type { TestTenant } from "./tenants.js";

interface Answer {
  readonly status: number;
  readonly text: string;
}

const unique = (prefix: string) => `${prefix}-${randomBytes(6).toString("hex")}`;

/** Valid material for each credential kind that needs more than text. A separate member holds a canary. */
function materials(canaries: Canaries): Record<string, Record<string, string>> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  canaries.add("a private key", pem.split("\n")[1] ?? pem);
  const signingSecret = `whsec_${randomBytes(32).toString("base64")}`;
  canaries.add("a given signing secret", signingSecret);
  return {
    ApiKey: { apiKey: canaries.plant("api key") },
    Basic: { username: "someone", password: canaries.plant("password") },
    BearerToken: { token: canaries.plant("bearer token") },
    Custom: { anything: canaries.plant("custom") },
    WebhookSigning: { signingSecret, note: canaries.plant("note") },
    OAuth2Client: { clientId: "vendor", clientSecret: canaries.plant("vendor client secret") },
    JwtBearer: { issuer: "someone", privateKey: pem, note: canaries.plant("note") },
    HmacSignature: { secret: canaries.plant("hmac") },
    VendorWebhookSecret: { secret: canaries.plant("vendor webhook") },
  };
}

/** Gives the platform every kind of secret in every place that takes one. Returns answers that must not show any. */
export async function plantSecrets(canaries: Canaries, tenant: TestTenant): Promise<Answer[]> {
  const token = await tenant.tokenWith();
  const answers = [...(await plantCredentials(canaries, token)), ...(await plantConfiguration(canaries, token))];
  for (const { status, text } of answers) if (status > 201) throw new Error(text);
  await plantClient(canaries, token);
  const ownSecurity = await plantOwnSecurity(canaries, tenant);
  return [
    ...answers,
    ...ownSecurity,
    ...(await refusedRequests(canaries, token)),
    ...(await refusedDocuments(canaries, token)),
    ...(await refusedLogins(canaries)),
  ];
}

const plantCredentials = (canaries: Canaries, token: string) =>
  Promise.all(
    Object.entries(materials(canaries)).map(([kind, secret]) =>
      request("POST /integrations/credentials", {
        ...{ token, body: { name: unique(kind.toLowerCase()), kind, secret } },
        headers: { "idempotency-key": unique("once") },
      }),
    ),
  );

function plantConfiguration(canaries: Canaries, token: string) {
  const putEntry = (value: unknown) =>
    request(`PUT /v1/config/${unique("crm")}`, {
      ...{ token, body: { value, isSecret: true } },
      headers: { "idempotency-key": unique("once") },
    });
  return Promise.all([
    putEntry(canaries.plant("configuration")),
    putEntry({ deep: [canaries.plant("nested configuration")] }),
  ]);
}

/** A client secret is shown once, with its creation and its rotation, and again for a repeated request. */
async function plantClient(canaries: Canaries, token: string): Promise<void> {
  const query = `mutation ($input: CreateApiClientInput!) { createApiClient(input: $input) { clientId clientSecret } }`;
  const input = {
    ...{ name: "planted", scopes: ["config.read"], principalType: "Service", grantTypes: ["client_credentials"] },
  };
  const creation = await graphql<{ createApiClient: { clientId: string; clientSecret: string } }>(query, {
    ...{ token, variables: { input }, headers: { "idempotency-key": unique("once") } },
  });
  const { clientId, clientSecret } = creation.body.data.createApiClient;
  canaries.add("a client secret", clientSecret);
  canaries.add("an access token", await accessToken(platform(), { clientId, clientSecret }));
  const rotation = await graphql<{ rotateApiClientSecret: { clientSecret: string } }>(
    "mutation ($id: ID!) { rotateApiClientSecret(clientId: $id) { clientSecret } }",
    { token, variables: { id: clientId } },
  );
  canaries.add("a rotated client secret", rotation.body.data.rotateApiClientSecret.clientSecret);
}

/** Passwords, an authenticator app's key and recovery codes. The page shows the last two once. */
async function plantOwnSecurity(canaries: Canaries, tenant: TestTenant): Promise<Answer[]> {
  const person = await aPerson(tenant);
  const { browser, page } = await ownSecurityPage(person);
  const change = (currentPassword: string) =>
    browser.submit(page, { action: "change-password", currentPassword, newPassword: canaries.plant("new password") });
  const answers = [await change(canaries.plant("wrong password")), await change(person.password)];
  const { key, codes } = await addAuthenticator(browser);
  canaries.add("the key of an authenticator app", key);
  for (const code of codes) canaries.add("a recovery code", code);
  return answers;
}

async function refusedRequests(canaries: Canaries, token: string): Promise<Answer[]> {
  const post = (body: unknown) => request("POST /integrations/credentials", { token, body });
  const raw = (text: string) => request("POST /integrations/credentials", { token, raw: text });
  const secret = () => ({ password: canaries.plant("refused") });
  return [
    await post({ name: unique("c"), kind: "Basic", secret: secret() }),
    await post({ name: unique("c"), kind: "Nothing", secret: secret() }),
    await post({ name: "not a name", kind: "Custom", secret: secret() }),
    await post({ name: unique("c"), kind: "Custom", secret: canaries.plant("text for an object") }),
    await post({ name: unique("c"), kind: "Custom", secret: [canaries.plant("list")] }),
    await post({ name: unique("c"), kind: "Custom", secret: secret(), unknown: canaries.plant("member") }),
    await post({ name: unique("c"), kind: "Custom", secret: { value: `${canaries.plant("null")}\u0000` } }),
    await raw(`{"name":"x","secret":{"password":"${canaries.plant("cut off")}"`),
    await raw(`${canaries.plant("no JSON")}`),
    await raw(`{"secret": ${canaries.plant("unquoted")}}`),
    await request(`PUT /v1/config/${unique("crm")}`, { token, raw: `{"value":"${canaries.plant("cut off")}` }),
    await request("PUT /v1/config/execution.requirePublished", {
      ...{ token, body: { value: canaries.plant("wrong type"), isSecret: true } },
    }),
    await request("PUT /v1/config/Not-A-Key!", { token, body: { value: canaries.plant("bad key"), isSecret: true } }),
  ];
}

async function refusedDocuments(canaries: Canaries, token: string): Promise<Answer[]> {
  const create = `mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }`;
  const variables = (input: unknown) => graphql(create, { token, variables: { input } });
  return [
    await variables({ name: "x", secret: canaries.plant("variable") }),
    await variables({ name: [canaries.plant("variable")], secret: {} }),
    await variables(canaries.plant("variable")),
    await variables({ name: "x", secret: { a: canaries.plant("variable") }, expiresAt: canaries.plant("time") }),
    await graphql(
      `mutation { createCredential(input: { name: "x", secret: "${canaries.plant("literal")}" }) { credentialId } }`,
      { token },
    ),
    await graphql(
      `mutation { createCredential(input: { name: "x", secret: { a: "${canaries.plant("literal")}" } }) { no } }`,
      { token },
    ),
    await graphql(
      `mutation { setConfigEntry(key: "crm.key", input: { value: "${canaries.plant("literal")}", isSecret: "yes" }) { key } }`,
      { token },
    ),
    await graphql(`mutation { createCredential(input: { secret: "${canaries.plant("syntax")}" `, { token }),
    await graphql(`mutation { "${canaries.plant("syntax")}" }`, { token }),
  ];
}

async function refusedLogins(canaries: Canaries): Promise<Answer[]> {
  const basic = Buffer.from(`cli_unknown:${canaries.plant("basic")}`).toString("base64");
  const form = (body: Record<string, string>, headers: Record<string, string> = {}) =>
    request("POST /connect/token", {
      raw: new URLSearchParams(body).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });
  return [
    await request("GET /v1/config", { token: canaries.plant("token") }),
    await request("GET /v1/config", { headers: { authorization: `Basic ${basic}` } }),
    await form({ grant_type: "client_credentials" }, { authorization: `Basic ${basic}` }),
    await form({
      ...{ grant_type: "client_credentials", client_id: "cli_unknown", client_secret: canaries.plant("post") },
    }),
    await form({ grant_type: "refresh_token", refresh_token: canaries.plant("refresh"), client_id: "cli_unknown" }),
    await request("POST /v1/users/invitations/accept", {
      body: { token: canaries.plant("invitation"), password: canaries.plant("person") },
    }),
  ];
}
