import { generateKeyPairSync } from "node:crypto";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { print } from "graphql";
import { type Json, platformAdmin, principal, RunningSpine } from "../running-spine.fixture.js";
import { secretDigest } from "./client-secret.js";

let platform: RunningSpine;
let tenantId: string;
let otherTenantId: string;
beforeAll(async () => {
  platform = await RunningSpine.start();
  tenantId = await platform.activeTenant("acme");
  otherTenantId = await platform.activeTenant("other");
});
afterAll(() => platform?.stop());

const owner = (tenant = tenantId) => principal(tenant, ["client.read", "client.manage", "templates.read", "user.read"]);

async function aClient(input: Record<string, unknown> = {}): Promise<Json> {
  const { data, errors } = await platform.ask(
    owner(),
    "mutation ($input: CreateApiClientInput!) { createApiClient(input: $input) { clientId clientSecret name createdAt } }",
    { input: { name: "CI", scopes: ["templates.read"], ...input } },
  );
  if (!data) throw new Error(JSON.stringify(errors));
  return data["createApiClient"];
}

const change = (field: string, members = "clientId status") =>
  `mutation ($clientId: ID!) { ${field}(clientId: $clientId) { ${members} } }`;

async function row(clientId: string) {
  const { rows } = await platform.admin.query("select * from api_clients where client_id = $1", [clientId]);
  return rows[0];
}

const revocations = async (clientId: string) =>
  (await platform.admin.query("select kind, version from revocations where subject = $1", [clientId])).rows;

async function tokenStatus({ clientId, clientSecret }: Json): Promise<number> {
  const provider = platform.spine.authorizationServer;
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => provider.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const response = await fetch(`http://127.0.0.1:${port}/connect/token`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  await response.arrayBuffer();
  server.close();
  return response.status;
}

describe("Query.apiClients", () => {
  const query = `query ($first: Int, $after: String) { apiClients(first: $first, after: $after) {
    items { clientId name scopes grantTypes principalType redirectUris firstParty public status tenantId createdAt }
    nextCursor } }`;

  it("pages through the caller's own tenant, in the order of creation, without a secret", async () => {
    const clients = [await aClient({ name: "1" }), await aClient({ name: "2" }), await aClient({ name: "3" })];
    const listedClients: Json[] = [];
    let after: string | null = null;
    do {
      const { data } = await platform.ask(owner(), query, { first: 2, after });
      listedClients.push(...data?.["apiClients"].items);
      after = data?.["apiClients"].nextCursor;
    } while (after !== null);
    expect(listedClients.map(({ clientId }) => clientId)).toEqual(clients.map(({ clientId }) => clientId));
    expect(listedClients[0]).toMatchObject({ name: "1", status: "Active", public: false, firstParty: false, tenantId });
    const other = await platform.ask(owner(otherTenantId), query);
    expect(other.data?.["apiClients"].items).toEqual([]);
  });

  it("shows the platform's administrator to nobody", async () => {
    const { data } = await platform.ask(owner(platformTenantId), query);
    expect(data?.["apiClients"].items).toEqual([]);
  });

  it("refuses a cursor of another tenant", async () => {
    const { data } = await platform.ask(owner(), query, { first: 1 });
    const after = data?.["apiClients"].nextCursor;
    const { refusal } = await platform.ask(owner(otherTenantId), query, { after });
    expect(refusal).toMatchObject({ code: "INVALID_CURSOR" });
  });
});

describe("Mutation.disableApiClient", () => {
  it("stops the client and refuses what it was given, once, and enabling lets it ask again", async () => {
    const client = await aClient();
    const { clientId } = client;
    expect(await tokenStatus(client)).toBe(200);
    for (let time = 0; time < 2; time += 1) {
      const { data } = await platform.ask(owner(), change("disableApiClient"), { clientId });
      expect(data?.["disableApiClient"]).toEqual({ clientId, status: "Disabled" });
    }
    expect(await tokenStatus(client)).toBe(401);
    const revocations = await platform.admin.query("select kind, tenant_id from revocations where subject = $1", [
      clientId,
    ]);
    expect(revocations.rows).toEqual([{ kind: "Client", tenant_id: decodeId("ten", tenantId) }]);
    const { data } = await platform.ask(owner(), change("enableApiClient"), { clientId });
    expect(data?.["enableApiClient"]).toEqual({ clientId, status: "Active" });
    expect(await tokenStatus(client)).toBe(200);
    const events = (await platform.eventsOf(tenantId)).filter(({ subject }) => subject === `clients/${clientId}`);
    expect(events.map(({ type }) => type)).toEqual(["ApiClientCreated", "ApiClientDisabled", "ApiClientEnabled"]);
  });
});

describe("Mutation.enableApiClient", () => {
  it("is for callers who hold what the client holds: its secret may be known", async () => {
    const client = await aClient();
    const { clientId } = client;
    await platform.ask(owner(), change("disableApiClient"), { clientId });
    const { refusal } = await platform.ask(principal(tenantId, ["client.manage"]), change("enableApiClient"), {
      clientId,
    });
    expect(refusal).toMatchObject({ code: "INSUFFICIENT_SCOPE", requiredScopes: ["templates.read"] });
    expect(await tokenStatus(client)).toBe(401);
  });
});

describe("Mutation.rotateApiClientSecret", () => {
  const rotate = change("rotateApiClientSecret", "clientId clientSecret");

  it("gives a new secret once, and the old one opens nothing", async () => {
    const client = await aClient();
    const { clientId } = client;
    const first = await platform.ask(owner(), rotate, { clientId }, `rotate-${clientId}`);
    const again = await platform.ask(owner(), rotate, { clientId }, `rotate-${clientId}`);
    const { clientSecret } = first.data?.["rotateApiClientSecret"] ?? {};
    expect(clientSecret).toMatch(/^[\w-]{43}$/);
    expect(again.replayed && again.data).toEqual(first.data);
    expect(await tokenStatus(client)).toBe(401);
    expect(await tokenStatus({ clientId, clientSecret })).toBe(200);
    expect((await row(clientId)).secret_digest).toBe(secretDigest(clientSecret));
    const eventsText = JSON.stringify(await platform.eventsOf(tenantId));
    expect(eventsText).toContain("ApiClientSecretRotated");
    expect(eventsText).not.toContain(clientSecret);
  });

  it("notes whom the secret was told last", async () => {
    const { clientId } = await aClient();
    expect((await row(clientId)).secret_held_by).toBe("cli_test");
    const authTime = Math.floor(Date.now() / 1000);
    const other = { ...owner(), subject: "usr_other", principalType: "User" as const, authTime };
    await platform.ask({ ...other, scopes: new Set(["client.manage"]) }, rotate, { clientId });
    expect((await row(clientId)).secret_held_by).toBe("cli_test");
    await platform.ask(other, rotate, { clientId });
    expect((await row(clientId)).secret_held_by).toBe("usr_other");
  });

  it("is for callers who hold what the client holds: a secret is the use of its scopes", async () => {
    const { clientId } = await aClient({ scopes: ["user.read", "templates.read"] });
    const { refusal } = await platform.ask(principal(tenantId, ["client.manage", "user.read"]), rotate, { clientId });
    expect(refusal).toMatchObject({ code: "INSUFFICIENT_SCOPE", requiredScopes: ["templates.read"] });
  });

  it("knows no secret of a public client", async () => {
    const { clientId, clientSecret } = await aClient({
      grantTypes: ["authorization_code"],
      redirectUris: ["https://app.example/"],
      public: true,
    });
    expect(clientSecret).toBeNull();
    expect((await row(clientId)).secret_held_by).toBeNull();
    const { refusal } = await platform.ask(owner(), rotate, { clientId });
    expect(refusal).toMatchObject({ code: "CONFLICT", status: 409 });
  });
});

describe("Mutation.updateApiClient", () => {
  const update = `mutation ($clientId: ID!, $input: UpdateApiClientInput!) {
    updateApiClient(clientId: $clientId, input: $input) { name redirectUris } }`;
  const signIn = { grantTypes: ["authorization_code"], redirectUris: ["https://app.example/"] };

  it("changes the name and the addresses, and nothing that is not given", async () => {
    const { clientId } = await aClient(signIn);
    const ask = async (input: unknown) => (await platform.ask(owner(), update, { clientId, input })).data;
    expect((await ask({ name: "App" }))?.["updateApiClient"]).toEqual({
      name: "App",
      redirectUris: signIn.redirectUris,
    });
    const redirectUris = ["https://app.example/new"];
    expect((await ask({ redirectUris }))?.["updateApiClient"]).toEqual({ name: "App", redirectUris });
    expect((await platform.eventsOf(tenantId)).at(-1)).toMatchObject({
      type: "ApiClientUpdated",
      data: { clientId, name: "App", redirectUris },
    });
  });

  it("notes everybody who installed a key that stays, whatever it is named", async () => {
    const key = (kid: string) => {
      const { publicKey } = generateKeyPairSync("ed25519");
      return { ...publicKey.export({ format: "jwk" }), kid };
    };
    const [first, second, third] = [key("1"), key("2"), key("3")];
    const { clientId } = await aClient({ jwks: { keys: [first] } });
    const install = async (subject: string, ...keys: object[]): Promise<string> => {
      await platform.ask({ ...owner(), subject }, update, { clientId, input: { jwks: { keys } } });
      return (await row(clientId)).secret_held_by;
    };
    expect((await row(clientId)).secret_held_by).toBe("cli_test");
    expect(await install("usr_other", first)).toBe("cli_test");
    expect(await install("usr_other", { ...first, kid: "renamed" }, second)).toBe("cli_test usr_other");
    expect(await install("usr_third", second)).toBe("cli_test usr_other");
    // tokens go on where the holders are the same, in whatever order they were stored
    const former = "usr_other cli_test";
    await platform.admin.query("update api_clients set secret_held_by = $2 where client_id = $1", [clientId, former]);
    const endings = await revocations(clientId);
    expect(await install("usr_third", second)).toBe(former);
    expect(await revocations(clientId)).toEqual(endings);
    expect(await install("usr_third", third)).toBe("usr_third");
  });

  it("sends codes elsewhere only for callers who hold what the client holds", async () => {
    const { clientId } = await aClient(signIn);
    const input = { redirectUris: ["https://evil.example/"] };
    const { refusal } = await platform.ask(principal(tenantId, ["client.manage"]), update, { clientId, input });
    expect(refusal).toMatchObject({ code: "INSUFFICIENT_SCOPE", requiredScopes: ["templates.read"] });
  });

  it("leaves the addresses of a first-party client alone, where nobody is asked for consent", async () => {
    const { data } = await platform.ask(
      platformAdmin(),
      `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
        createTenantApiClient(tenantId: $tenantId, input: $input) { clientId } }`,
      { tenantId, input: { name: "Desk", scopes: ["templates.read"], firstParty: true, ...signIn } },
    );
    const { clientId } = data?.["createTenantApiClient"] ?? {};
    const input = { redirectUris: ["https://evil.example/"] };
    const { refusal } = await platform.ask(owner(), update, { clientId, input });
    expect(refusal).toMatchObject({ code: "PLATFORM_ADMIN_REQUIRED", status: 403 });
    expect((await row(clientId)).redirect_uris).toEqual(signIn.redirectUris);
  });

  it("refuses addresses that are not safe, and any at a client that nobody signs in at", async () => {
    const { clientId } = await aClient(signIn);
    const plain = await aClient();
    for (const [client, redirectUris, pointer] of [
      [clientId, ["http://app.example/"], "/input/redirectUris/0"],
      [plain.clientId, ["https://app.example/"], "/input/redirectUris"],
    ] as const) {
      const { refusal } = await platform.ask(owner(), update, { clientId: client, input: { redirectUris } });
      expect(refusal).toMatchObject({ code: "API_CLIENT_INVALID", status: 422, errors: [{ pointer }] });
    }
  });
});

describe("client.manage", () => {
  const signIn = { grantTypes: ["authorization_code"], redirectUris: ["https://app.example/"] };
  const update = (input: string) =>
    `mutation ($clientId: ID!) { updateApiClient(clientId: $clientId, input: ${input}) { clientId } }`;
  const key = `{ kty: "OKP", crv: "Ed25519", kid: "1", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }`;
  /** Every operation that asks for the scope; one that is added comes in here, or the first test fails. */
  const operations: Record<string, string[]> = {
    createApiClient: [
      'mutation { createApiClient(input: { name: "more than its maker", scopes: ["templates.read"] }) { clientId } }',
    ],
    disableApiClient: [change("disableApiClient")],
    // it names a user instead of a client, so lasting-right.test.ts tests it
    disableUserApiClients: [],
    enableApiClient: [change("enableApiClient")],
    rotateApiClientSecret: [change("rotateApiClientSecret")],
    updateApiClient: [
      update('{ name: "Renamed" }'),
      update('{ redirectUris: ["https://evil.example/"] }'),
      update(`{ jwks: { keys: [${key}] } }`),
    ],
  };
  const table = Object.values(operations).flat();

  async function aFirstPartyClient(): Promise<string> {
    const { data } = await platform.ask(
      platformAdmin(),
      `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
        createTenantApiClient(tenantId: $tenantId, input: $input) { clientId } }`,
      { tenantId, input: { name: "Desk", scopes: ["templates.read"], firstParty: true, ...signIn } },
    );
    return data?.["createTenantApiClient"].clientId;
  }

  it("is asked for by exactly these operations", () => {
    const fields = Object.values(platform.spine.schema.getMutationType()?.getFields() ?? {});
    const managing = fields.filter(({ astNode }) => astNode && print(astNode).includes('"client.manage"'));
    expect(managing.map(({ name }) => name).toSorted()).toEqual(Object.keys(operations).toSorted());
  });

  it.each(table)("changes nothing of a client that holds more than the caller: %s", async (operation) => {
    const plain: Json = await aClient(signIn);
    for (const clientId of [plain.clientId, await aFirstPartyClient()]) {
      const before = await row(clientId);
      const caller = principal(tenantId, ["client.manage", "user.read"]);
      const { refusal } = await platform.ask(caller, operation, { clientId });
      expect(refusal).toMatchObject({ code: "INSUFFICIENT_SCOPE", requiredScopes: ["templates.read"] });
      expect(await row(clientId)).toEqual(before);
    }
  });

  it("names and stops every client of the tenant for callers who hold enough, first-party ones too", async () => {
    const clientId = await aFirstPartyClient();
    for (const operation of [update('{ name: "Renamed" }'), change("disableApiClient"), change("enableApiClient")])
      expect((await platform.ask(owner(), operation, { clientId })).errors).toEqual([]);
    expect(await row(clientId)).toMatchObject({ name: "Renamed", status: "Active" });
  });
});

describe("a client that comes into other hands", () => {
  const rotate = (clientId: string, subject: string) =>
    platform.ask({ ...owner(), subject }, change("rotateApiClientSecret", "clientId"), { clientId });

  it("begins anew: what it was given is refused, unless the same holder renews the secret", async () => {
    const { clientId } = await aClient();
    await rotate(clientId, "cli_test");
    expect(await revocations(clientId)).toEqual([]);
    await rotate(clientId, "usr_other");
    expect(await revocations(clientId)).toEqual([{ kind: "Client", version: "1" }]);
    await rotate(clientId, "usr_other");
    expect(await revocations(clientId)).toHaveLength(1);
  });
});

describe("a client of another tenant", () => {
  it.each(["disableApiClient", "enableApiClient", "rotateApiClientSecret"])("is not found by %s", async (field) => {
    const { clientId } = await aClient();
    const answers = [];
    for (const id of [clientId, newId("cli"), platform.spine.bootstrap.clientId])
      answers.push((await platform.ask(owner(otherTenantId), change(field, "clientId"), { clientId: id })).refusal);
    expect(answers[0]).toMatchObject({ code: "NOT_FOUND", status: 404 });
    expect(new Set(answers.map((answer) => JSON.stringify({ ...answer, traceId: "" }))).size).toBe(1);
    const ownClient = { clientId: platform.spine.bootstrap.clientId };
    const { refusal } = await platform.ask(owner(platformTenantId), change(field, "clientId"), ownClient);
    expect(refusal).toMatchObject({ code: "NOT_FOUND" });
    expect((await row(clientId)).status).toBe("Active");
  });
});

describe("the clients of one tenant", () => {
  it("are so few that deleting the user who made them all holds up nobody else", async () => {
    const crowdedTenant = await platform.activeTenant("crowded");
    const make = 'mutation { createApiClient(input: { name: "One more", scopes: ["templates.read"] }) { clientId } }';
    const answer = await platform.ask(owner(crowdedTenant), make);
    const clientId: string = answer.data?.["createApiClient"].clientId;
    await platform.ask(owner(crowdedTenant), change("disableApiClient"), { clientId });
    const fill = (status: string, count: number) =>
      platform.admin.query(
        `insert into api_clients select (jsonb_populate_record(client, jsonb_build_object(
           'client_id', 'cli_' || gen_random_uuid(), 'status', $2::text))).*
         from api_clients client, generate_series(1, $3) where client.client_id = $1`,
        [clientId, status, count],
      );
    await fill("Active", 500);
    const full = [await platform.ask(owner(crowdedTenant), make)];
    full.push(await platform.ask(owner(crowdedTenant), change("enableApiClient"), { clientId }));
    for (const { refusal } of full) expect(refusal).toMatchObject({ code: "CONFLICT", limit: 500 });
    await platform.admin.query("update api_clients set status = 'Disabled' where tenant_id = $1", [
      decodeId("ten", crowdedTenant),
    ]);
    await fill("Disabled", 4_499);
    expect((await platform.ask(owner(crowdedTenant), make)).refusal).toMatchObject({ code: "CONFLICT", limit: 5_000 });
    expect((await platform.ask(owner(crowdedTenant), change("enableApiClient"), { clientId })).refusal).toBeUndefined();
  });
});
