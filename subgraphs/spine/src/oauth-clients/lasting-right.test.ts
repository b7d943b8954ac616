import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { tenantScopes } from "@factory/schema/scopes";
import { print } from "graphql";
import { aUser } from "../people/users/user.fixture.js";
import { type Answer, platformAdmin, principal, RunningSpine, signedIn } from "../running-spine.fixture.js";

let platform: RunningSpine;
let tenantId: string;
let userId: string;

beforeAll(async () => {
  platform = await RunningSpine.shared();
  tenantId = await platform.activeTenant("lasting");
  ({ userId } = await aUser(platform, tenantId, tenantScopes));
  const role =
    'mutation { made: createRole(input: { code: "Lasting", name: "Role", scopes: ["user.read"] }) { roleId } }';
  roleId = (await platform.ask(service(), role)).data?.["made"].roleId;
});
afterAll(() => platform?.stop());

const person = (changes: Partial<Principal> = {}) => signedIn(tenantId, tenantScopes, { subject: userId, ...changes });
const service = (changes: Partial<Principal> = {}) => ({ ...principal(tenantId, tenantScopes), ...changes });

let names = 0;
const newClient = () => ({ name: `client ${(names += 1)}`, scopes: ["user.read"] });

/** A client that somebody else has made. */
async function aClient(): Promise<string> {
  const make = "mutation ($input: CreateApiClientInput!) { made: createApiClient(input: $input) { clientId } }";
  const { data, errors } = await platform.ask(service(), make, { input: newClient() });
  if (!data) throw new Error(JSON.stringify(errors));
  return data["made"].clientId;
}

async function disabledClient(): Promise<string> {
  const clientId = await aClient();
  await platform.ask(service(), `mutation { disableApiClient(clientId: "${clientId}") { status } }`);
  return clientId;
}

/** Every mutation that makes, changes, renews or enables a client, with a fresh argument. */
const lasting: Record<string, (by: Principal) => Promise<Answer>> = {
  createApiClient: (by) =>
    platform.ask(by, "mutation ($input: CreateApiClientInput!) { createApiClient(input: $input) { clientId } }", {
      input: newClient(),
    }),
  updateApiClient: async (by) =>
    platform.ask(by, `mutation { updateApiClient(clientId: "${await aClient()}", input: { name: "x" }) { name } }`),
  rotateApiClientSecret: async (by) =>
    platform.ask(by, `mutation { rotateApiClientSecret(clientId: "${await aClient()}") { clientId } }`),
  enableApiClient: async (by) =>
    platform.ask(by, `mutation { enableApiClient(clientId: "${await disabledClient()}") { status } }`),
};

let roleId: string;

/** Every other mutation that gives somebody a lasting right. */
const lastingOtherwise: Record<string, (by: Principal) => Promise<Answer>> = {
  inviteUser: (by) =>
    platform.ask(
      by,
      `mutation { inviteUser(input: { email: "${newId("usr")}@x.example", roleCodes: ["Viewer"] }) { status } }`,
    ),
  resendInvitation: async (by) => {
    const email = `${newId("usr")}@x.example`;
    const invite = `mutation { made: inviteUser(input: { email: "${email}", roleCodes: ["Viewer"] }) { invitationId } }`;
    const { data } = await platform.ask(service(), invite);
    const { invitationId } = data?.["made"] ?? {};
    return platform.ask(by, `mutation { resendInvitation(invitationId: "${invitationId}") { status } }`);
  },
  assignRole: async (by) =>
    platform.ask(
      by,
      `mutation { assignRole(roleId: "${roleId}", input: { principalId: "${await aClient()}" }) { assignmentId } }`,
    ),
  updateRole: (by) =>
    platform.ask(by, `mutation { updateRole(roleId: "${roleId}", input: { name: "Role" }) { name } }`),
  enableUser: async (by) => {
    const { userId: other } = await aUser(platform, tenantId, []);
    await platform.ask(service(), `mutation { disableUser(userId: "${other}") { status } }`);
    return platform.ask(by, `mutation { enableUser(userId: "${other}") { status } }`);
  },
};

/** Mutations about clients that give nobody a lasting right. */
const ending: Record<string, (by: Principal) => Promise<Answer>> = {
  disableApiClient: async (by) =>
    platform.ask(by, `mutation { disableApiClient(clientId: "${await aClient()}") { status } }`),
  disableUserApiClients: (by) =>
    platform.ask(by, `mutation { disableUserApiClients(userId: "${userId}") { clientId } }`),
};

const outcome = ({ refusal }: Answer) => refusal?.["code"];
const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;
const password = "urn:factory:acr:password";

test("the mutations of client.manage are all walked", () => {
  const fields = Object.values(platform.spine.schema.getMutationType()?.getFields() ?? {});
  const managing = fields.filter(({ astNode }) => astNode && print(astNode).includes('"client.manage"'));
  expect(managing.map(({ name }) => name).sort()).toEqual([...Object.keys(lasting), ...Object.keys(ending)].sort());
});

describe.each(Object.entries({ ...lasting, ...lastingOtherwise }))("%s", (_, mutation) => {
  afterEach(() => platform.admin.query("delete from totp_factors where user_id = $1", [decodeId("usr", userId)]));

  it("is refused to a person whose sign-in is older than 15 minutes, as with a token that was stolen an hour ago", async () => {
    for (const authTime of [secondsAgo(901), secondsAgo(3600), undefined])
      expect(outcome(await mutation(person({ authTime })))).toBe("AUTHENTICATION_TOO_OLD");
    expect(outcome(await mutation(person({ authTime: secondsAgo(880) })))).toBeUndefined();
  });

  it("is refused to a person who has a second factor and signed in without it", async () => {
    expect(outcome(await mutation(person({ acr: password })))).toBeUndefined();
    await platform.admin.query(
      `insert into totp_factors (tenant_id, factor_id, user_id, sealed_secret, last_step, created_at)
       values ($1, gen_random_uuid(), $2, '', 0, now())`,
      [decodeId("ten", tenantId), decodeId("usr", userId)],
    );
    for (const acr of [password, undefined])
      expect(outcome(await mutation(person({ acr })))).toBe("AUTHENTICATION_TOO_WEAK");
    expect(outcome(await mutation(person({ acr: "urn:factory:acr:second-factor" })))).toBeUndefined();
  });

  it("is open to a service with client.manage, which has no sign-in", async () => {
    expect(outcome(await mutation(service()))).toBeUndefined();
  });
});

describe.each(Object.entries(ending))("%s", (_, mutation) => {
  it("needs no recent sign-in, so that a stolen client ends at once", async () => {
    expect(outcome(await mutation(person({ authTime: secondsAgo(3600) })))).toBeUndefined();
  });
});

describe("createTenantApiClient", () => {
  const make = (by: Principal) =>
    platform.ask(
      by,
      `mutation ($input: CreateApiClientInput!) { createTenantApiClient(tenantId: "${tenantId}", input: $input) { clientId } }`,
      { input: newClient() },
    );

  it("is open to the client of the platform administrator, and to a person with a recent sign-in", async () => {
    const administrator = { ...platformAdmin(), subject: newId("usr"), principalType: "User" as const };
    expect(outcome(await make(platformAdmin()))).toBeUndefined();
    expect(outcome(await make({ ...administrator, authTime: secondsAgo(3600) }))).toBe("AUTHENTICATION_TOO_OLD");
    expect(outcome(await make({ ...administrator, authTime: secondsAgo(5) }))).toBeUndefined();
  });
});

describe("disableUserApiClients", () => {
  const ofClient = (clientId: string) =>
    platform.admin.query("select status from api_clients where client_id = $1", [clientId]);

  /** A user, and a client whose secret only this user knows. */
  async function holder() {
    const holding = (await aUser(platform, tenantId, [])).userId;
    const { data } = (await lasting["createApiClient"]?.(person({ subject: holding }))) ?? { data: null };
    return { holding, clientId: String(data?.["createApiClient"].clientId) };
  }

  it("ends the clients that only this user knows, and no other client", async () => {
    const [first, other] = [await holder(), await holder()];
    const end = `mutation { made: disableUserApiClients(userId: "${first.holding}") { clientId status } }`;
    const { data } = await platform.ask(person({ subject: first.holding, scopes: new Set(["client.manage"]) }), end);
    expect(data?.["made"]).toEqual([{ clientId: first.clientId, status: "Disabled" }]);
    expect((await ofClient(other.clientId)).rows).toEqual([{ status: "Active" }]);
    expect((await platform.ask(person({ subject: first.holding }), end)).data?.["made"]).toEqual([]);
  });

  it("is refused to others who do not hold the scopes of these clients, and to other tenants", async () => {
    const { holding, clientId } = await holder();
    const end = `mutation { made: disableUserApiClients(userId: "${holding}") { clientId status } }`;
    const weak = service({ scopes: new Set(["client.manage"]) });
    expect(outcome(await platform.ask(weak, end))).toBe("INSUFFICIENT_SCOPE");
    const elsewhere = await platform.activeTenant("lasting-elsewhere");
    expect(outcome(await platform.ask({ ...service(), tenantId: elsewhere }, end))).toBe("NOT_FOUND");
    expect((await ofClient(clientId)).rows).toEqual([{ status: "Active" }]);
    for (const unknown of ["usr_x", newId("usr"), clientId])
      expect(outcome(await platform.ask(service(), end.replace(holding, unknown)))).toBe("NOT_FOUND");
  });
});

describe("a client that only one person knows", () => {
  const tokensOf = async (clientId: string) =>
    (await platform.admin.query("select status, disabled_with from api_clients where client_id = $1", [clientId])).rows;
  const move = (field: string, id: string, more = "") =>
    platform.ask(service(), `mutation { ${field}(userId: "${id}"${more}) { status } }`);

  /** A user with a client, and a client that this client has made. */
  async function chain() {
    const holding = (await aUser(platform, tenantId, [])).userId;
    const makeClient = async (by: Principal) =>
      String((await lasting["createApiClient"]?.(by))?.data?.["createApiClient"].clientId);
    const first = await makeClient(person({ subject: holding }));
    const second = await makeClient(service({ subject: first, clientId: first }));
    const sharedClient = await makeClient(person({ subject: holding }));
    await platform.admin.query(
      "update api_clients set secret_held_by = secret_held_by || ' cli_other' where client_id = $1",
      [sharedClient],
    );
    return { holding, first, second, shared: sharedClient };
  }

  it("does not work while the person is disabled, and works again afterwards", async () => {
    const { holding, first, second, shared } = await chain();
    expect((await move("disableUser", holding)).errors).toEqual([]);
    for (const client of [first, second])
      expect(await tokensOf(client)).toEqual([{ status: "Disabled", disabled_with: holding }]);
    expect(await tokensOf(shared)).toEqual([{ status: "Active", disabled_with: null }]);
    const events = (await platform.eventsOf(tenantId)).filter(({ data }) => data["userId"] === holding);
    expect(events.find(({ type }) => type === "UserDisabled")?.data).toMatchObject({
      clients: "Disable",
      clientIds: [first, second].sort(),
    });
    expect((await move("enableUser", holding)).errors).toEqual([]);
    for (const client of [first, second])
      expect(await tokensOf(client)).toEqual([{ status: "Active", disabled_with: null }]);
  });

  it("goes on if the caller keeps it, and stays disabled if somebody has disabled it before", async () => {
    const { holding, first, second } = await chain();
    await platform.ask(service(), `mutation { disableApiClient(clientId: "${second}") { status } }`);
    expect((await move("disableUser", holding, ", input: { clients: Keep }")).errors).toEqual([]);
    expect(await tokensOf(first)).toEqual([{ status: "Active", disabled_with: null }]);
    await move("enableUser", holding);
    await move("disableUser", holding);
    await move("enableUser", holding);
    expect(await tokensOf(first)).toEqual([{ status: "Active", disabled_with: null }]);
    expect(await tokensOf(second)).toEqual([{ status: "Disabled", disabled_with: null }]);
  });

  const rotate = (client: string, by: Principal = service()) =>
    platform.ask(by, `mutation { rotateApiClientSecret(clientId: "${client}") { clientId } }`);
  const enable = (client: string) =>
    platform.ask(service(), `mutation { enableApiClient(clientId: "${client}") { status } }`);

  it("is still known to the person after it has renewed its own secret, and after two have renewed each other's", async () => {
    const { holding, first, second } = await chain();
    await rotate(first, service({ subject: first, clientId: first }));
    await rotate(second, service({ subject: first, clientId: first }));
    await rotate(first, service({ subject: second, clientId: second }));
    await move("disableUser", holding);
    for (const client of [first, second])
      expect(await tokensOf(client)).toEqual([{ status: "Disabled", disabled_with: holding }]);
  });

  it("is not enabled by an accomplice while the person is disabled, until somebody else has a new secret", async () => {
    const { holding, first } = await chain();
    await move("disableUser", holding);
    expect(outcome(await enable(first))).toBe("CONFLICT");
    await rotate(first);
    expect(outcome(await enable(first))).toBeUndefined();
    await move("enableUser", holding);
    expect(await tokensOf(first)).toEqual([{ status: "Active", disabled_with: null }]);
  });

  it("does not work when all who know it are disabled", async () => {
    const { holding, first } = await chain();
    const { userId: other } = await aUser(platform, tenantId, []);
    await platform.admin.query("update api_clients set secret_held_by = $2 where client_id = $1", [
      first,
      `${holding} ${other}`,
    ]);
    await move("disableUser", holding);
    expect(await tokensOf(first)).toEqual([{ status: "Active", disabled_with: null }]);
    await move("disableUser", other);
    expect(await tokensOf(first)).toEqual([{ status: "Disabled", disabled_with: other }]);
  });

  it("has a secret that a repeated request of an old session does not get", async () => {
    const create =
      "mutation ($input: CreateApiClientInput!) { made: createApiClient(input: $input) { clientId clientSecret } }";
    const input = newClient();
    const ask = (by: Principal, key: string) => platform.ask(by, create, { input }, key);
    const key = newId("cli");
    expect((await ask(person(), key)).data?.["made"].clientSecret).toMatch(/./);
    expect(outcome(await ask(person({ authTime: secondsAgo(3600) }), key))).toBe("AUTHENTICATION_TOO_OLD");
  });

  it("is not disabled by a caller who does not hold its scopes", async () => {
    const { holding, first } = await chain();
    const disable = (more = "") =>
      platform.ask(
        service({ scopes: new Set(["user.invite"]) }),
        `mutation { disableUser(userId: "${holding}"${more}) { status } }`,
      );
    expect(outcome(await disable())).toBe("INSUFFICIENT_SCOPE");
    expect(outcome(await disable(", input: { clients: Keep }"))).toBeUndefined();
    expect(await tokensOf(first)).toEqual([{ status: "Active", disabled_with: null }]);
  });
});
