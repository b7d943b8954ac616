import type { Principal } from "@factory/runtime/auth/principal";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { aPrincipal, eventually, type IntegrationFixture, sharedIntegration } from "../../../integration.fixture.js";
import { systemActor } from "../../../runs/run.states.js";
import { aVendorServer, type VendorServer } from "../../vendor-calls/vendor.fixture.js";

let fixture: IntegrationFixture;
let vendor: VendorServer;
let owner: Principal;

beforeAll(async () => {
  [fixture, vendor] = await Promise.all([sharedIntegration(), aVendorServer()]);
});
beforeEach(() => {
  owner = aPrincipal();
  vendor.requests.length = 0;
  vendor.answer = () => ({ status: 200, body: "{}" });
});
afterAll(async () => {
  await fixture.close();
  await vendor.close();
});

async function run(by: Principal, source: string, variables: object): Promise<Record<string, string>> {
  const { data, errors } = await fixture.run(by, source, { ...variables });
  expect(errors).toBeUndefined();
  return Object.values(data)[0] as Record<string, string>;
}

async function aProvider(by: Principal): Promise<string> {
  const driver = { probe: { method: "GET", path: "/me", okStatuses: [200] } };
  const input = {
    ...{ key: newId("prv").slice(4), displayName: "Acme", category: "Tool", authModel: "BearerToken" },
    ...{ baseUrl: vendor.origin, driver },
  };
  const source = "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }";
  return String((await run(by, source, { input }))["providerId"]);
}
async function aConnection(by: Principal, providerId: string, more: object): Promise<string> {
  const source = "mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }";
  const input = { providerId, displayName: "Acme", authMode: "BearerToken", ...more };
  return String((await run(by, source, { input }))["connectionId"]);
}
const aCredential = (name: string, more: object = {}) =>
  run(owner, "mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }", {
    input: { name, kind: "BearerToken", secret: { token: "the-token" }, ...more },
  });
const readConnection = (connectionId: string) =>
  run(owner, "query ($id: ID!) { connection(connectionId: $id) { status health healthReason version } }", {
    id: connectionId,
  });
const becomes = (connectionId: string, health: string) =>
  eventually(async () => {
    const connection = await readConnection(connectionId);
    return connection["health"] === health ? connection : undefined;
  });
const countLinked = async (name: string): Promise<number> => {
  const [row] = await fixture.rows<{ count: number }>(
    `select count(credential_id)::int + count(webhook_credential_id)::int as count from integration.connections
     where credential_ref like '%' || $1 or webhook_secret_ref like '%' || $1`,
    name,
  );
  return row?.count ?? 0;
};

describe("a connection that names a credential before it exists", () => {
  it.each(["secret://", ""])("says which name is missing, and works when %s<name> appears", async (scheme) => {
    const name = `late-${newId("crd").slice(4)}`;
    const id = await aConnection(owner, await aProvider(owner), { credentialRef: `${scheme}${name}` });
    expect(await becomes(id, "Unknown")).toMatchObject({ healthReason: expect.stringContaining(name) });
    expect(vendor.requests).toEqual([]);
    await aCredential(name);
    await becomes(id, "Healthy");
    expect(vendor.requests.map(({ headers }) => headers["authorization"])).toContain("Bearer the-token");
  });

  it("is told the nearest name that exists", async () => {
    const name = `acme-${newId("crd").slice(4)}`;
    await aCredential(name);
    const id = await aConnection(owner, await aProvider(owner), { credentialRef: `${name}x` });
    expect(await becomes(id, "Unknown")).toMatchObject({
      healthReason: expect.stringContaining(`Did you mean ${name}?`),
    });
  });

  it("verifies deliveries by a secret that appears later", async () => {
    const name = `hook-${newId("crd").slice(4)}`;
    await aConnection(owner, await aProvider(owner), {
      authMode: "None",
      configuration: { webhookSecretRef: `secret://${name}` },
    });
    await aCredential(name, { kind: "VendorWebhookSecret", secret: { secret: "s" } });
    expect(await countLinked(name)).toBe(1);
  });

  it("does not take a secret of a kind that cannot verify deliveries, and nothing of another tenant", async () => {
    const name = `hook-${newId("crd").slice(4)}`;
    const providerId = await aProvider(owner);
    await aConnection(owner, providerId, { authMode: "None", configuration: { webhookSecretRef: name } });
    const first = owner;
    owner = aPrincipal();
    await aCredential(name, { kind: "VendorWebhookSecret", secret: { secret: "s" } });
    owner = first;
    await aCredential(name);
    expect(await countLinked(name)).toBe(0);
  });

  it("gets no secret for a host that somebody has chosen who may not write credentials", async () => {
    const scopes = ["integration.providers.write", "integration.connections.write"] as const;
    const partner = aPrincipal({ tenantId: owner.tenantId ?? "", scopes });
    const [trap, safe] = [`trap-${newId("crd").slice(4)}`, `safe-${newId("crd").slice(4)}`];
    const providerId = await aProvider(partner);
    for (const name of [trap, safe]) await aConnection(partner, providerId, { credentialRef: name });
    await aCredential(trap);
    expect(await countLinked(trap)).toBe(0);
    // A secret with hosts is sent only there, whoever chose the provider.
    await aCredential(safe, { secret: { token: "the-token", hosts: ["vendor.example"] } });
    expect(await countLinked(safe)).toBe(1);
    expect(vendor.requests.filter(({ headers }) => headers["authorization"] !== undefined)).toEqual([]);
  });

  it("finds it also when both are made at the same time, or one is changed meanwhile", async () => {
    const providerId = await aProvider(owner);
    const unnamedId = await aConnection(owner, providerId, {});
    const rename = (name: string) =>
      run(
        owner,
        "mutation ($id: ID!, $input: UpdateConnectionInput!) { updateConnection(connectionId: $id, input: $input) { status } }",
        { id: unnamedId, input: { credentialRef: name } },
      );
    for (let round = 0; round < 12; round += 1) {
      const name = `same-${newId("crd").slice(4)}`;
      const making = [aConnection(owner, providerId, { credentialRef: name }), rename(name)];
      await Promise.all([...making, aCredential(name)]);
      expect(await countLinked(name)).toBe(2);
    }
  });

  it("is verified at once for the first hundred, and by schedule for the others", async () => {
    const name = `many-${newId("crd").slice(4)}`;
    const providerId = await aProvider(owner);
    for (let count = 0; count < 103; count += 1) await aConnection(owner, providerId, { credentialRef: name });
    await aCredential(name);
    expect(await countLinked(name)).toBe(103);
    const [row] = await fixture.rows<{ runs: number }>(
      `select count(*)::int as runs from integration.runs run join integration.connections connection
         on run.connection_id = connection.connection_id and run.run_id = connection.last_run_id
       where credential_ref = $1 and run.requested_by <> $2 and run.created_at >= (
         select created_at from integration.credentials where name = $1)`,
      name,
      // the schedule may have begun with the others
      systemActor,
    );
    expect(row?.runs).toBe(100);
  });
});
