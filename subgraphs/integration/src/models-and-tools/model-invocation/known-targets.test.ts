import { newId } from "@factory/runtime/identifiers/wire-id";
import { keepingLogger } from "@factory/runtime/telemetry/logged-lines.fixture";
import { refusalOf } from "../../connections/vendor-calls/vendor-connection.fixture.js";
import { aPrincipal, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { aModelConnection, aModelServer, KnownTokens, modelClient } from "./model-vendor.fixture.js";

const tokens = new KnownTokens();
const principal = aPrincipal();
const headers = { authorization: `Bearer ${tokens.tokenOf(principal)}` };
let fixture: IntegrationFixture;
let vendor: Awaited<ReturnType<typeof aModelServer>>;
let models: Awaited<ReturnType<typeof modelClient>>;

beforeAll(async () => {
  const logger = keepingLogger([]);
  [fixture, vendor] = await Promise.all([startIntegrationFixture({ verifier: tokens }, logger), aModelServer()]);
  models = await modelClient(fixture, logger);
});

afterAll(async () => {
  await models.close();
  await Promise.all([fixture.close(), vendor.close()]);
});

async function mutate(source: string, variables: Record<string, unknown>): Promise<void> {
  const { errors } = await fixture.run(principal, source, variables);
  if (errors) throw errors[0];
}

/** A connection that was called, so that this process knows it. */
async function aCalledConnection() {
  const connectionId = await aModelConnection(fixture, principal, vendor.baseUrl);
  const call = (model: string) =>
    models.client.complete({ connectionId, model, messages: [{ role: "user", content: "hello" }] }, { headers });
  await call("echo");
  await call("echo");
  const source = "query ($id: ID!) { connection(connectionId: $id) { credentialRef providerId } }";
  const { data } = await fixture.run(principal, source, { id: connectionId });
  const { credentialRef, providerId } = (data as { connection: { credentialRef: string; providerId: string } })
    .connection;
  const { data: createdData } = await fixture.run(
    principal,
    "{ credentials(first: 100) { edges { node { credentialId credentialRef } } } }",
  );
  const { credentials } = createdData as {
    credentials: { edges: { node: { credentialId: string; credentialRef: string } }[] };
  };
  const credentialId = credentials.edges.find(({ node }) => node.credentialRef === credentialRef)?.node.credentialId;
  return { connectionId, providerId, credentialId, call };
}

type Called = Awaited<ReturnType<typeof aCalledConnection>>;

describe("a connection that was called before", () => {
  it.each<[string, string, (called: Called) => Record<string, unknown>, string]>([
    [
      "its suspension",
      "mutation ($id: ID!) { suspendConnection(connectionId: $id) { status } }",
      ({ connectionId }) => ({ id: connectionId }),
      "INVALID_STATE",
    ],
    [
      "its end",
      "mutation ($id: ID!) { deleteConnection(connectionId: $id) { status } }",
      ({ connectionId }) => ({ id: connectionId }),
      "CONNECTION_NOT_FOUND",
    ],
    [
      "the disabling of its provider",
      "mutation ($id: ID!) { disableProvider(providerId: $id) { status } }",
      ({ providerId }) => ({ id: providerId }),
      "INVALID_STATE",
    ],
    [
      "the loss of the capability",
      "mutation ($id: ID!, $input: UpdateProviderInput!) { updateProvider(providerId: $id, input: $input) { key } }",
      ({ providerId }) => ({ id: providerId, input: { capabilities: ["model.embed"] } }),
      "CAPABILITY_MISSING",
    ],
    [
      "the revocation of its credential",
      "mutation ($id: ID!) { revokeCredential(credentialId: $id) { status } }",
      ({ credentialId }) => ({ id: credentialId }),
      "INVALID_STATE",
    ],
  ])("is refused with the first call after %s", async (_, source, variablesOf, code) => {
    const connection = await aCalledConnection();
    await mutate(source, variablesOf(connection));
    const model = newId("run").slice(4);
    expect((await refusalOf(connection.call(model))).code).toBe(code);
    expect(await vendor.requests(model)).toEqual([]);
    expect((await refusalOf(connection.call(model))).code).toBe(code);
  });

  it("shows another credential with the first call after its change", async () => {
    const { connectionId, call } = await aCalledConnection();
    const name = newId("crd");
    await mutate("mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }", {
      input: { name, kind: "BearerToken", secret: { token: "other" } },
    });
    await mutate(
      "mutation ($id: ID!, $input: UpdateConnectionInput!) { updateConnection(connectionId: $id, input: $input) { status } }",
      { id: connectionId, input: { credentialRef: `secret://${name}` } },
    );
    const model = newId("run").slice(4);
    await refusalOf(call(model));
    expect((await vendor.requests(model)).map((request) => request.headers["authorization"])).toEqual(["Bearer other"]);
  });
});
