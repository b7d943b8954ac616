import { schemaDrift } from "@factory/runtime/unit-of-work/write-migration";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { integrationTables } from "../../tables.js";

let fixture: IntegrationFixture;

beforeAll(async () => {
  fixture = await startIntegrationFixture({ allowLoopback: false });
});

afterAll(() => fixture.close());

const registerProvider = /* GraphQL */ `
  mutation ($input: RegisterProviderInput!) {
    registerProvider(input: $input) { providerId key category capabilities apiClientId status registeredAt }
  }`;

const createCredential = /* GraphQL */ `
  mutation ($input: CreateCredentialInput!) {
    createCredential(input: $input) { credentialId name credentialRef currentVersionRef status createdAt }
  }`;

const sendgrid = {
  key: "sendgrid",
  displayName: "SendGrid",
  category: "Communication",
  authModel: "ApiKey",
  apiClient: "sendgrid-v3",
  capabilities: ["email.send", "Email.Send"],
  baseUrl: "https://203.0.113.7/v3",
};

const publicProvider = { ...sendgrid, baseUrl: "https://93.184.216.34/v3" };

describe("tables", () => {
  it("agree with the migrations", async () => {
    expect(await schemaDrift({ connections: fixture.connections, ...integrationTables })).toBe("");
  });
});

describe("Mutation.registerProvider", () => {
  it("registers, shows and announces a provider", async () => {
    const principal = aPrincipal();
    const { data, errors } = await fixture.run(principal, registerProvider, {
      input: { ...publicProvider, tenantId: principal.tenantId },
    });
    expect(errors).toBeUndefined();
    expect(data.registerProvider).toMatchObject({
      providerId: expect.stringMatching(/^prv_/),
      apiClientId: expect.stringMatching(/^apc_/),
      status: "Registered",
      capabilities: ["email.send"],
    });
    const { providerId } = data.registerProvider;
    const readAnswer = await fixture.run(principal, "query ($id: ID!) { provider(providerId: $id) { key baseUrl } }", {
      id: providerId,
    });
    expect(readAnswer.data?.provider).toEqual({ key: "sendgrid", baseUrl: publicProvider.baseUrl });
    const [auditRow] = await eventually(async () => {
      const rows = await fixture.rows<{ envelope: Record<string, unknown> }>(
        "select envelope from integration.event_log where type = 'ProviderRegistered' and envelope->>'subject' = $1",
        `providers/${providerId}`,
      );
      return rows.length > 0 ? rows : undefined;
    });
    expect(auditRow?.envelope).toMatchObject({
      source: "/integration",
      tenantid: principal.tenantId,
      actorid: principal.subject,
      data: { providerId, key: "sendgrid", status: "Registered" },
    });
  });

  it("keeps keys unique within a tenant only", async () => {
    const [principal, other] = [aPrincipal(), aPrincipal()];
    await fixture.run(principal, registerProvider, { input: publicProvider });
    const again = await fixture.run(principal, registerProvider, { input: publicProvider });
    expect(again.errors?.[0]?.extensions).toMatchObject({ code: "PROVIDER_KEY_TAKEN", status: 409 });
    expect((await fixture.run(other, registerProvider, { input: publicProvider })).errors).toBeUndefined();
  });

  it("gives the first answer again for the same Idempotency-Key", async () => {
    const principal = aPrincipal();
    const first = await fixture.run(principal, registerProvider, { input: publicProvider }, "one");
    expect(await fixture.run(principal, registerProvider, { input: publicProvider }, "one")).toEqual(first);
  });

  it.each([
    ["a documentation address", sendgrid.baseUrl],
    ["loopback", "http://127.0.0.1:9/"],
    ["credentials", "https://user:secret@93.184.216.34/"],
    ["another scheme", "ftp://93.184.216.34/"],
  ])("refuses a base URL with %s", async (_, baseUrl) => {
    const { errors } = await fixture.run(aPrincipal(), registerProvider, { input: { ...sendgrid, baseUrl } });
    expect(errors?.[0]?.extensions).toMatchObject({ code: "TARGET_BLOCKED", status: 422 });
  });

  it.each([
    ["a key with capitals", { key: "SendGrid" }],
    ["an undotted capability", { capabilities: ["email"] }],
    ["a base URL that is none", { baseUrl: "not a url" }],
    ["an empty name", { displayName: " " }],
  ])("refuses %s as malformed", async (_, part) => {
    const { errors } = await fixture.run(aPrincipal(), registerProvider, { input: { ...publicProvider, ...part } });
    expect(errors?.[0]?.extensions).toMatchObject({ code: "VALIDATION_FAILED", status: 400 });
  });
});

describe("Mutation.createCredential", () => {
  it("stores no secret in clear, anywhere", async () => {
    const principal = aPrincipal();
    const input = { name: "secret://mail/key", kind: "ApiKey", secret: { apiKey: "very-visible-secret" } };
    const { data, errors } = await fixture.run(principal, createCredential, { input }, "credential-1");
    expect(errors).toBeUndefined();
    expect(data.createCredential).toMatchObject({
      name: "mail/key",
      credentialRef: "secret://mail/key",
      currentVersionRef: "secret://mail/key#v1",
      status: "Active",
    });
    const tables = ["credentials", "credential_versions", "outbox", "idempotency_records"];
    for (const table of tables) {
      const rows = await fixture.rows<{ text: string }>(`select t::text as text from integration.${table} t`);
      expect(rows.length).toBeGreaterThan(0);
      const hex = Buffer.from("very-visible-secret").toString("hex");
      for (const { text } of rows) {
        expect(text).not.toContain("very-visible-secret");
        expect(text).not.toContain(hex);
      }
    }
  });

  it("tells a replay from another secret under the same key", async () => {
    const principal = aPrincipal();
    const input = { name: "a", secret: { token: "one" } };
    const first = await fixture.run(principal, createCredential, { input }, "k");
    expect(await fixture.run(principal, createCredential, { input }, "k")).toEqual(first);
    const other = await fixture.run(
      principal,
      createCredential,
      { input: { ...input, secret: { token: "two" } } },
      "k",
    );
    expect(other.errors?.[0]?.extensions).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
  });

  it("keeps names unique in the tenant, however they are written", async () => {
    const principal = aPrincipal();
    await fixture.run(principal, createCredential, { input: { name: "a", secret: { token: "one" } } });
    const again = await fixture.run(principal, createCredential, { input: { name: "secret://a", secret: { b: 1 } } });
    expect(again.errors?.[0]?.extensions).toMatchObject({ code: "CONFLICT" });
  });

  it.each([
    ["an empty secret", { secret: {} }, "VALIDATION_FAILED"],
    [
      "a signing secret of another form",
      { kind: "WebhookSigning", secret: { signingSecret: "whsec-of-mine" } },
      "VALIDATION_FAILED",
    ],
    ["a name with spaces", { name: "a b" }, "VALIDATION_FAILED"],
  ])("refuses %s", async (_, part, code) => {
    const input = { name: "n", secret: { token: "x" }, ...part };
    const { errors } = await fixture.run(aPrincipal(), createCredential, { input });
    expect(errors?.[0]?.extensions).toMatchObject({ code });
    expect(JSON.stringify(errors)).not.toContain("whsec-of-mine");
  });
});
