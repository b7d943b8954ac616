import type { Principal } from "@factory/runtime/auth/principal";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";

let fixture: IntegrationFixture;
let principal: Principal;
let providerId: string;

beforeAll(async () => {
  fixture = await startIntegrationFixture();
  principal = aPrincipal();
  providerId = await aProvider();
});

afterAll(() => fixture.close());

async function aProvider(key = newId("prv").slice(4)): Promise<string> {
  const { data } = await fixture.run(
    principal,
    "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
    { input: { key, displayName: "SendGrid", category: "Communication", authModel: "ApiKey" } },
  );
  return data.registerProvider.providerId;
}

async function aCredential(name: string, input: object): Promise<void> {
  const createAnswer = await fixture.run(
    principal,
    "mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }",
    { input: { name, ...input } },
  );
  if (createAnswer.errors) throw createAnswer.errors[0];
}

const create = /* GraphQL */ `
  mutation ($input: CreateConnectionInput!) {
    createConnection(input: $input) {
      connectionId tenantId projectId providerId displayName authMode credentialRef configuration status health
      lastCheckedAt lastRunId establishedAt traceId version authorizationUrl deliveryUrl
    }
  }`;

const aConnection = (input: Record<string, unknown> = {}, key?: string) =>
  fixture.run(
    principal,
    create,
    { input: { providerId, displayName: "Mail", authMode: "OAuth2ClientCredentials", ...input } },
    key,
  );

const refusal = async (input: Record<string, unknown>) => {
  const { errors } = await aConnection(input);
  const facts = errors?.[0]?.extensions ?? {};
  const members = (facts["errors"] ?? []) as Record<string, string>[];
  return [facts["code"], ...members.map((member) => `${member["pointer"]} ${member["code"]}`)];
};

describe("Mutation.createConnection", () => {
  it("establishes and shows a connection with the combination of the specification", async () => {
    const input = {
      tenantId: principal.tenantId,
      projectId: "orders",
      credentialRef: "secret://elsewhere/mail",
      configuration: { region: "eu", apiKey: "not special" },
    };
    const { data, errors } = await aConnection(input);
    expect(errors).toBeUndefined();
    const { connectionId } = data.createConnection;
    expect(data.createConnection).toMatchObject({
      ...input,
      connectionId: expect.stringMatching(/^con_/),
      status: "Active",
      health: "Healthy",
      lastCheckedAt: null,
      authorizationUrl: null,
      version: 1,
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    const readAnswer = await fixture.run(
      principal,
      "query ($id: ID!) { connection(connectionId: $id) { connectionId configuration credentialRef projectId } }",
      { id: connectionId },
    );
    expect(readAnswer.errors).toBeUndefined();
    expect(readAnswer.data?.connection).toEqual({
      connectionId,
      projectId: "orders",
      credentialRef: "secret://elsewhere/mail",
      configuration: { region: "eu", apiKey: "not special" },
    });
    const [event] = await eventually(async () => {
      const events = await fixture.rows<{ envelope: Record<string, unknown> }>(
        "select envelope from integration.event_log where envelope->>'subject' = $1",
        `connections/${connectionId}`,
      );
      return events.length > 0 ? events : undefined;
    });
    expect(event?.envelope).toMatchObject({ type: "ConnectionEstablished", projectid: "orders" });
  });

  it("resolves a credential by its name", async () => {
    await aCredential("mail", { kind: "VendorWebhookSecret", secret: { secret: "a-secret-of-mail" } });
    const configuration = { webhookSecretRef: "mail", accountId: "acct_1" };
    const { data } = await aConnection({ credentialRef: "secret://mail", configuration, strictReferences: true });
    const [row] = await fixture.rows(
      "select credential_id = webhook_credential_id as same, external_account_id from integration.connections where display_name = 'Mail' and external_account_id is not null",
    );
    expect(data.createConnection.credentialRef).toBe("secret://mail");
    expect(row).toEqual({ same: true, external_account_id: "acct_1" });
  });

  it("refuses a webhookSecretRef that names a credential of a kind that cannot verify", async () => {
    await aCredential("no-verifier", { kind: "ApiKey", secret: { apiKey: "a-key-of-a-vendor" } });
    expect(await refusal({ configuration: { webhookSecretRef: "no-verifier" } })).toEqual([
      "REFERENCE_NOT_FOUND",
      "/input/configuration/webhookSecretRef REFERENCE_NOT_FOUND",
    ]);
  });

  it("returns the first result for a repeated Idempotency-Key", async () => {
    const [first, second] = [await aConnection({}, "once"), await aConnection({}, "once")];
    expect(second.data.createConnection).toEqual(first.data.createConnection);
  });

  it("shows the URL for the deliveries of a connection that has their secret", async () => {
    const key = newId("prv").slice(4);
    const configuration = { webhookSecretRef: "not-stored-yet" };
    const { data } = await aConnection({ providerId: await aProvider(key), configuration });
    const { connectionId, deliveryUrl } = data.createConnection;
    expect(new URL(deliveryUrl).pathname).toBe(`/webhooks/deliveries/${key}`);
    expect(new URL(deliveryUrl).searchParams.get("connection")).toBe(connectionId);
    expect((await aConnection()).data.createConnection.deliveryUrl).toBeNull();
  });

  it("refuses references that name nothing in the tenant", async () => {
    expect(await refusal({ providerId: newId("prv") })).toEqual([
      "REFERENCE_NOT_FOUND",
      "/input/providerId REFERENCE_NOT_FOUND",
    ]);
    expect(await refusal({ providerId: "prv_x" })).toEqual([
      "REFERENCE_NOT_FOUND",
      "/input/providerId REFERENCE_NOT_FOUND",
    ]);
    const configuration = { webhookSecretRef: "nothing" };
    expect(await refusal({ credentialRef: "nothing", configuration, strictReferences: true })).toEqual([
      "REFERENCE_NOT_FOUND",
      "/input/credentialRef REFERENCE_NOT_FOUND",
      "/input/configuration/webhookSecretRef REFERENCE_NOT_FOUND",
    ]);
  });

  it("refuses under strictAuthModel modes that do not match the provider", async () => {
    expect(await refusal({ strictAuthModel: true })).toEqual([
      "AUTH_MODE_NOT_SUPPORTED",
      "/input/authMode AUTH_MODE_NOT_SUPPORTED",
    ]);
    expect((await aConnection({ authMode: "ApiKey", strictAuthModel: true })).errors).toBeUndefined();
  });

  it("refuses settings that are not strings or too large, each by its pointer", async () => {
    expect(await refusal({ configuration: { retries: 3, "a/b": null, ok: "x" } })).toEqual([
      "PARAMETERS_INVALID",
      "/input/configuration/retries TYPE",
      "/input/configuration/a~1b TYPE",
    ]);
    expect(await refusal({ configuration: { long: "x".repeat(4097) } })).toEqual([
      "PARAMETERS_INVALID",
      "/input/configuration/long TOO_LONG",
    ]);
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, place) => [`k${place}`, ""]));
    expect(await refusal({ configuration: many })).toEqual(["PARAMETERS_INVALID", "/input/configuration TOO_LONG"]);
  });

  it("refuses a provider that is disabled", async () => {
    const disabledProvider = await aProvider();
    await fixture.run(principal, "mutation ($id: ID!) { disableProvider(providerId: $id) { status } }", {
      id: disabledProvider,
    });
    expect(await refusal({ providerId: disabledProvider })).toEqual(["INVALID_STATE"]);
  });
});
