import type { Principal } from "@factory/runtime/auth/principal";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { aPrincipal, type IntegrationFixture, sharedIntegration } from "../../../integration.fixture.js";

let fixture: IntegrationFixture;
let owner: Principal;
let partner: Principal;

const scopesOfPartner = ["integration.providers.write", "integration.connections.write"] as const;
const aPartner = () => aPrincipal({ tenantId: owner.tenantId ?? "", scopes: scopesOfPartner });

beforeAll(async () => {
  fixture = await sharedIntegration();
});

beforeEach(() => {
  owner = aPrincipal();
  partner = aPartner();
});

afterAll(() => fixture.close());

async function run(by: Principal, source: string, variables: object) {
  const { data, errors } = await fixture.run(by, source, { ...variables });
  const [error] = errors ?? [];
  return error ? { refused: error.extensions } : (Object.values(data)[0] as Record<string, unknown>);
}

const expectedRefusal = {
  refused: { code: "INSUFFICIENT_SCOPE", status: 403, requiredScopes: ["integration.credentials.write"] },
};
const isDone = { connectionId: expect.stringMatching(/^con_/) };

async function aProvider(by: Principal, input: object): Promise<string> {
  const { providerId } = await run(
    by,
    "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
    {
      input: {
        ...{ key: newId("prv").slice(4), displayName: "Acme", category: "Tool", authModel: "BearerToken" },
        ...input,
      },
    },
  );
  return String(providerId);
}

async function aCredential(hosts?: string[]): Promise<string> {
  const name = newId("crd").slice(4);
  await run(owner, "mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }", {
    input: { name, kind: "BearerToken", secret: { token: "t", ...(hosts && { hosts }) } },
  });
  return name;
}

const update = (by: Principal, id: string, input: object) =>
  run(
    by,
    "mutation ($id: ID!, $input: UpdateProviderInput!) { updateProvider(providerId: $id, input: $input) { baseUrl } }",
    { id, input },
  );

const connect = (by: Principal, providerId: string, credentialRef?: string) =>
  run(by, "mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }", {
    input: { providerId, displayName: "Acme", authMode: "BearerToken", credentialRef },
  });

const change = (by: Principal, id: unknown, input: object) =>
  run(
    by,
    "mutation ($id: ID!, $input: UpdateConnectionInput!) { updateConnection(connectionId: $id, input: $input) { displayName } }",
    { id, input },
  );

const [first, second, third] = [34, 35, 36].map((number) => `https://93.184.216.${number}/v1`);

describe("the hosts of a provider with connections", () => {
  const oauth2 = { tokenUrl: "https://93.184.216.34/token", clientAuthentication: "none" };

  it("change only for a caller who may also write credentials", async () => {
    const id = await aProvider(owner, { baseUrl: first, driver: { oauth2 } });
    await connect(owner, id);
    expect(await update(partner, id, { baseUrl: second })).toMatchObject({ baseUrl: second });
    const { connectionId } = (await connect(owner, id, await aCredential(["93.184.216.35"]))) as {
      connectionId: string;
    };
    const changesOfHost = [
      { baseUrl: third },
      { baseUrl: "http://93.184.216.35/v1" },
      { driver: { oauth2: { ...oauth2, tokenUrl: "https://93.184.216.36/token" } } },
      { driver: { oauth2: { ...oauth2, authorizationUrl: "https://93.184.216.36/authorize" } } },
    ];
    for (const input of changesOfHost) expect(await update(partner, id, input)).toMatchObject(expectedRefusal);
    const sameHosts = { baseUrl: "https://93.184.216.35/v2", driver: { oauth2: { ...oauth2, scopes: ["read"] } } };
    expect(await update(partner, id, sameHosts)).toMatchObject({ baseUrl: sameHosts.baseUrl });
    expect(await update(owner, id, { baseUrl: third })).toMatchObject({ baseUrl: third });
    await run(owner, "mutation ($id: ID!) { deleteConnection(connectionId: $id) { status } }", { id: connectionId });
    expect(await update(partner, id, { baseUrl: first })).toMatchObject({ baseUrl: first });
  });
});

describe("a credential at a host that the caller has chosen", () => {
  it("is connected only by others, or with the scope to write credentials", async () => {
    const [name, other] = [await aCredential(), await aCredential()];
    const ownProvider = await aProvider(partner, { baseUrl: first });
    expect(await connect(partner, ownProvider, name)).toMatchObject(expectedRefusal);
    const { connectionId } = (await connect(partner, ownProvider)) as { connectionId: string };
    for (const input of [{ credentialRef: name }, { credentialRef: `secret://${name}`, configuration: {} }])
      expect(await change(partner, connectionId, input)).toMatchObject(expectedRefusal);
    expect(await connect(aPartner(), ownProvider, name)).toMatchObject(isDone);
    // the credential goes there already
    expect(await connect(partner, ownProvider, name)).toMatchObject(isDone);
    expect(await connect(partner, ownProvider, other)).toMatchObject(expectedRefusal);
    expect(await connect(owner, ownProvider, other)).toMatchObject(isDone);
  });

  it("is not found by a change of the settings when it was stored after its reference", async () => {
    const name = newId("crd").slice(4);
    const { connectionId } = (await connect(partner, await aProvider(partner, { baseUrl: first }), name)) as {
      connectionId: string;
    };
    await run(owner, "mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }", {
      input: { name, kind: "BearerToken", secret: { token: "t" } },
    });
    expect(await change(partner, connectionId, { configuration: { region: "eu" } })).toMatchObject(expectedRefusal);
    expect(await change(partner, connectionId, { displayName: "Still" })).toEqual({ displayName: "Still" });
  });

  it("is connected where the hosts are those of a preset or of others, until the caller moves them", async () => {
    const name = await aCredential();
    const knownProviders = [
      await aProvider(partner, { preset: "github" }),
      await aProvider(owner, { baseUrl: second }),
    ];
    for (const provider of knownProviders) expect(await connect(partner, provider, name)).toMatchObject(isDone);
    const movedProvider = await aProvider(owner, { baseUrl: second });
    expect(await update(partner, movedProvider, { baseUrl: first })).toEqual({ baseUrl: first });
    const replacedProvider = await aProvider(partner, { preset: "github", baseUrl: first });
    for (const provider of [movedProvider, replacedProvider])
      expect(await connect(partner, provider, name)).toMatchObject(expectedRefusal);
  });
});
