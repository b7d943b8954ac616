import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/messages/envelope";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { type Scope, tenantScopes } from "@factory/schema/scopes";
import { aRoleOf, aUser } from "../people/users/user.fixture.js";
import { type Answer, type Json, platformAdmin, principal, RunningSpine } from "../running-spine.fixture.js";

let platform: RunningSpine;
beforeAll(async () => {
  platform = await RunningSpine.start();
});
afterAll(() => platform?.stop());

const operator = "cli_operator";
const administrator = () => platformAdmin({ subject: operator, clientId: operator });
const members = "clientId name createdByPlatform status";
const creation = `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
  client: createTenantApiClient(tenantId: $tenantId, input: $input) { ${members} } }`;
const ownCreation = `mutation ($input: CreateApiClientInput!) { client: createApiClient(input: $input) { ${members} } }`;
const everything = { name: "Setup", scopes: [...tenantScopes] };

const makeClient = (tenantId: string, key?: string, by: Principal = administrator()): Promise<Answer> =>
  platform.ask(by, creation, { tenantId, input: everything }, key);
const madeBy = (caller: Principal): Promise<Answer> => platform.ask(caller, ownCreation, { input: everything });
const idOf = ({ data, errors }: Answer): string => {
  if (!data?.["client"]) throw new Error(JSON.stringify(errors));
  return data["client"].clientId;
};
const changeClient = (caller: Principal, field: string, clientId: string): Promise<Answer> =>
  platform.ask(caller, `mutation ($clientId: ID!) { client: ${field}(clientId: $clientId) { ${members} } }`, {
    clientId,
  });

/** A service whose token has every scope in the tenant. */
const service = (tenantId: string, clientId: string): Principal => ({
  ...principal(tenantId, tenantScopes),
  ...{ subject: clientId, clientId },
});

const person = (tenantId: string, userId: string, scopes: readonly Scope[] = tenantScopes): Principal => ({
  ...principal(tenantId, scopes),
  ...{ subject: userId, principalType: "User", firstParty: true, authTime: Math.floor(Date.now() / 1000) },
});

let count = 0;
async function aTenant(): Promise<string> {
  count += 1;
  return platform.activeTenant(`made-${count}`);
}

/** A user who holds the owners' system role. */
async function anOwner(tenantId: string): Promise<Principal> {
  const { userId } = await aUser(platform, tenantId, []);
  const { rows } = await platform.admin.query<{ role_id: string }>(
    "select role_id from roles where tenant_id = $1 and code = 'TenantOwner'",
    [decodeId("ten", tenantId)],
  );
  await aRoleOf(platform, tenantId, userId, [], rows[0]?.role_id ?? "");
  return person(tenantId, userId);
}

const refuseClients = (owner: Principal, value = false): Promise<Answer> =>
  platform.ask(
    owner,
    'mutation ($value: JSON) { setConfigEntry(key: "governance.allowPlatformClients", input: { value: $value }) { value } }',
    { value },
  );

const about = async (tenantId: string, type: string): Promise<Envelope[]> =>
  (await platform.eventsOf(tenantId)).filter((event) => event.type === type);

/** The notifications to a person, by channel. */
async function notifiedOf(owner: Principal): Promise<Json[]> {
  const query = "{ notifications { items { channel category title body status recipient { userId } } } }";
  const { data } = await platform.ask(owner, query);
  const items: Json[] = data?.["notifications"].items;
  const ownItems = items.filter(({ recipient }) => recipient.userId === owner.subject);
  return ownItems.toSorted((first, other) => first.channel.localeCompare(other.channel));
}

async function listed(owner: Principal): Promise<Json[]> {
  const { data } = await platform.ask(owner, `{ apiClients(first: 100) { items { ${members} } } }`);
  return data?.["apiClients"].items;
}

const platformRefusal = { code: "PLATFORM_CLIENT_REFUSED", status: 403 };

describe("a client that the platform makes in a tenant", () => {
  it("is told to every owner by a notification and an event, and to no other member", async () => {
    const tenantId = await aTenant();
    const owners = [await anOwner(tenantId), await anOwner(tenantId)];
    const member = person(tenantId, (await aUser(platform, tenantId, ["notification.read"])).userId);
    const clientId = idOf(await makeClient(tenantId));
    for (const owner of owners)
      expect(await notifiedOf(owner)).toEqual(
        ["Email", "InApp"].map((channel) =>
          expect.objectContaining({ channel, category: "security", body: expect.stringContaining(clientId) }),
        ),
      );
    expect(await notifiedOf(member)).toEqual([]);
    const [event, ...others] = await about(tenantId, "ApiClientCreated");
    expect([event?.data, event?.actorid, others]).toEqual([
      expect.objectContaining({ clientId, createdByPlatform: true }),
      ...[operator, []],
    ]);
  });

  it("is told in the language of the tenant, and to an owner who wants no notifications", async () => {
    const tenantId = await aTenant();
    const owner = await anOwner(tenantId);
    await platform.ask(
      owner,
      'mutation { setConfigEntry(key: "notifications.locale", input: { value: "de" }) { value } }',
    );
    const preferences = [{ channel: "InApp", category: "*", enabled: false }];
    await platform.ask(
      owner,
      "mutation ($input: SetNotificationPreferencesInput!) { setNotificationPreferences(input: $input) { items { enabled } } }",
      { input: { preferences } },
    );
    await makeClient(tenantId);
    expect(await notifiedOf(owner)).toContainEqual(
      expect.objectContaining({ channel: "InApp", status: "Sent", title: expect.stringContaining("Die Plattform") }),
    );
  });

  it("is told once for one Idempotency-Key", async () => {
    const tenantId = await aTenant();
    const owner = await anOwner(tenantId);
    const [first, again] = [await makeClient(tenantId, "once"), await makeClient(tenantId, "once")];
    expect([again.replayed, again.data]).toEqual([true, first.data]);
    expect(await notifiedOf(owner)).toHaveLength(2);
  });

  it("is told to an owner who joins later", async () => {
    const tenantId = await aTenant();
    const clientId = idOf(await makeClient(tenantId));
    const { userId } = await aUser(platform, tenantId, []);
    const { data } = await platform.ask(
      principal(tenantId, tenantScopes),
      "{ roles(first: 50) { items { roleId code } } }",
    );
    const roles: Json[] = data?.["roles"].items;
    const roleId = roles.find(({ code }) => code === "TenantOwner")?.roleId;
    const assignment =
      "mutation ($roleId: ID!, $input: AssignRoleInput!) { assignRole(roleId: $roleId, input: $input) { roleId } }";
    const assignmentAnswer = await platform.ask(principal(tenantId, tenantScopes), assignment, {
      ...{ roleId, input: { principalId: userId } },
    });
    expect(assignmentAnswer.refusal).toBeUndefined();
    expect(await notifiedOf(person(tenantId, userId))).toEqual([
      expect.objectContaining({ channel: "InApp", body: expect.stringContaining(clientId) }),
    ]);
  });

  it("keeps its mark in the list, whatever changes the client", async () => {
    const tenantId = await aTenant();
    const owner = await anOwner(tenantId);
    const clientId = idOf(await makeClient(tenantId));
    const ownClient = idOf(await madeBy(owner));
    const update = `mutation ($clientId: ID!, $input: UpdateApiClientInput!) {
      client: updateApiClient(clientId: $clientId, input: $input) { ${members} } }`;
    for (const caller of [service(tenantId, clientId), owner]) {
      const { data } = await platform.ask(caller, update, { clientId, input: { name: "Quiet" } });
      expect(data?.["client"]).toMatchObject({ name: "Quiet", createdByPlatform: true });
      expect((await changeClient(caller, "rotateApiClientSecret", clientId)).data?.["client"]).toMatchObject({
        createdByPlatform: true,
      });
    }
    await changeClient(owner, "disableApiClient", clientId);
    await changeClient(owner, "enableApiClient", clientId);
    const marks = (await listed(owner)).map((client) => [client.clientId, client.createdByPlatform, client.status]);
    expect(marks).toEqual([
      [clientId, true, "Active"],
      [ownClient, false, "Active"],
    ]);
  });

  it("is disabled by an owner, and enabled again by nobody whom the platform holds", async () => {
    const tenantId = await aTenant();
    const owner = await anOwner(tenantId);
    const disabledClient = idOf(await makeClient(tenantId));
    const second = idOf(await makeClient(tenantId));
    const child = idOf(await madeBy(service(tenantId, second)));
    const takenClient = idOf(await madeBy(owner));
    await changeClient(service(tenantId, second), "rotateApiClientSecret", takenClient);
    expect((await changeClient(owner, "disableApiClient", disabledClient)).data?.["client"].status).toBe("Disabled");
    for (const caller of [second, child, takenClient])
      expect((await changeClient(service(tenantId, caller), "enableApiClient", disabledClient)).refusal).toMatchObject(
        platformRefusal,
      );
    expect((await changeClient(administrator(), "enableApiClient", disabledClient)).refusal).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
    expect((await listed(owner))[0]).toMatchObject({ clientId: disabledClient, status: "Disabled" });
    const ownClient = idOf(await madeBy(owner));
    expect(
      (await changeClient(service(tenantId, ownClient), "enableApiClient", disabledClient)).refusal,
    ).toBeUndefined();
  });

  it("is disabled by an owner whose application holds fewer scopes, and by no member or service like that", async () => {
    const tenantId = await aTenant();
    const owner = await anOwner(tenantId);
    const clientId = idOf(await makeClient(tenantId));
    const ownClient = idOf(await madeBy(owner));
    const member = person(tenantId, (await aUser(platform, tenantId, ["client.manage"])).userId);
    const few = (caller: Principal): Principal => ({ ...caller, scopes: new Set(["client.manage"]) });
    const others = [few(member), few(service(tenantId, ownClient)), { ...few(owner), principalType: "Agent" as const }];
    for (const caller of others)
      expect((await changeClient(caller, "disableApiClient", clientId)).refusal).toMatchObject({
        code: "INSUFFICIENT_SCOPE",
      });
    for (const field of ["enableApiClient", "rotateApiClientSecret"])
      expect((await changeClient(few(owner), field, clientId)).refusal).toMatchObject({ code: "INSUFFICIENT_SCOPE" });
    expect((await changeClient(few(owner), "disableApiClient", ownClient)).refusal).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
    expect((await changeClient(few(owner), "disableApiClient", clientId)).data?.["client"].status).toBe("Disabled");
  });

  it("is enabled by the platform's clients while the tenant is being set up", async () => {
    const tenantId = await aTenant();
    const [firstClient, other] = [idOf(await makeClient(tenantId)), idOf(await makeClient(tenantId))];
    await changeClient(service(tenantId, other), "disableApiClient", firstClient);
    expect((await changeClient(service(tenantId, other), "enableApiClient", firstClient)).data?.["client"].status).toBe(
      "Active",
    );
  });
});

describe("the setting governance.allowPlatformClients", () => {
  it("does not lock a new tenant out before its first owner has joined, and acts from then on", async () => {
    const tenantId = await aTenant();
    const setup = service(tenantId, idOf(await makeClient(tenantId)));
    const early = person(tenantId, (await aUser(platform, tenantId, ["config.manage", "governance.approve"])).userId);
    expect((await refuseClients(early)).refusal).toBeUndefined();
    expect((await makeClient(tenantId)).refusal).toBeUndefined();
    expect((await madeBy(setup)).refusal).toBeUndefined();
    await anOwner(tenantId);
    expect((await makeClient(tenantId)).refusal).toMatchObject(platformRefusal);
    expect((await madeBy(setup)).refusal).toMatchObject(platformRefusal);
  });

  it("refuses every way by which the platform makes a client, and no client of the tenant's own", async () => {
    const tenantId = await aTenant();
    const owner = await anOwner(tenantId);
    const second = idOf(await makeClient(tenantId));
    const child = idOf(await madeBy(service(tenantId, second)));
    const takenClient = idOf(await madeBy(owner));
    const ownClient = idOf(await madeBy(owner));
    await changeClient(service(tenantId, child), "rotateApiClientSecret", takenClient);
    await refuseClients(owner);
    const before = (await listed(owner)).length;
    for (const answer of [await makeClient(tenantId), await makeClient(tenantId, "key")])
      expect(answer.refusal).toMatchObject(platformRefusal);
    for (const caller of [second, child, takenClient])
      expect((await madeBy(service(tenantId, caller))).refusal).toMatchObject(platformRefusal);
    expect(await listed(owner)).toHaveLength(before);
    for (const caller of [owner, service(tenantId, ownClient)])
      expect((await madeBy(caller)).data?.["client"]).toMatchObject({ createdByPlatform: false });
    await refuseClients(owner, true);
    expect((await makeClient(tenantId)).refusal).toBeUndefined();
  });

  it("keeps the platform's clients from taking over a client that the tenant holds", async () => {
    const tenantId = await aTenant();
    const owner = await anOwner(tenantId);
    const setup = idOf(await makeClient(tenantId));
    const child = idOf(await madeBy(service(tenantId, setup)));
    const ownClient = idOf(await madeBy(owner));
    const rotate = async (caller: Principal, clientId: string) =>
      (await changeClient(caller, "rotateApiClientSecret", clientId)).refusal;
    await refuseClients(owner);
    for (const caller of [setup, child])
      expect(await rotate(service(tenantId, caller), ownClient)).toMatchObject(platformRefusal);
    expect(await rotate(service(tenantId, setup), child)).toBeUndefined();
    expect(await rotate(owner, child)).toBeUndefined();
    expect(await rotate(service(tenantId, setup), child)).toMatchObject(platformRefusal);
  });

  it("is not changed by a client that the platform holds, in any of the ways to change a value", async () => {
    const tenantId = await aTenant();
    const owner = await anOwner(tenantId);
    const setup = idOf(await makeClient(tenantId));
    const child = idOf(await madeBy(service(tenantId, setup)));
    await refuseClients(owner, true);
    await refuseClients(owner);
    const key = "governance.allowPlatformClients";
    const ways = [
      `setConfigEntry(key: "${key}", input: { value: true })`,
      `deleteConfigEntry(key: "${key}")`,
      `restoreConfigEntry(key: "${key}", version: 1)`,
    ];
    for (const caller of [setup, child])
      for (const way of ways)
        expect((await platform.ask(service(tenantId, caller), `mutation { ${way} { key } }`)).refusal).toMatchObject(
          platformRefusal,
        );
    expect((await makeClient(tenantId)).refusal).toMatchObject(platformRefusal);
    const ownService = service(tenantId, idOf(await madeBy(owner)));
    expect((await platform.ask(ownService, `mutation { ${ways[1]} { key } }`)).refusal).toMatchObject({
      code: "PERSON_REQUIRED",
    });
  });

  it("acts in the next request of every process", async () => {
    const tenantId = await aTenant();
    const owner = await anOwner(tenantId);
    await refuseClients(owner, true);
    // no process hears about it
    await platform.admin.query("update configuration_entries set value = 'false' where tenant_id = $1", [
      decodeId("ten", tenantId),
    ]);
    expect((await makeClient(tenantId)).refusal).toMatchObject(platformRefusal);
  });
});

describe("the mark of a new client", () => {
  it("tells of the platform behind every kind of caller", async () => {
    const tenantId = await aTenant();
    const owner = await anOwner(tenantId);
    const member = person(tenantId, (await aUser(platform, tenantId, [...tenantScopes])).userId);
    const ownClient = idOf(await madeBy(owner));
    const setup = idOf(await makeClient(tenantId));
    const child = idOf(await madeBy(service(tenantId, setup)));
    const takenClient = idOf(await madeBy(owner));
    await changeClient(service(tenantId, child), "rotateApiClientSecret", takenClient);
    const returnedClient = idOf(await makeClient(tenantId));
    await changeClient(owner, "rotateApiClientSecret", returnedClient);
    const unknown = idOf(await makeClient(tenantId));
    await platform.admin.query("update api_clients set secret_held_by = null where client_id = $1", [unknown]);
    const administratorPerson = platformAdmin({
      subject: newId("usr"),
      clientId: "cli_console",
      principalType: "User",
      authTime: Math.floor(Date.now() / 1000),
    });
    const byPerson = idOf(await makeClient(tenantId, undefined, administratorPerson));
    const agent: Principal = { ...service(tenantId, setup), principalType: "Agent", agentTaskId: "task-1" };
    const walk: [string, Answer, boolean][] = [
      ["an owner", await madeBy(owner), false],
      ["a member", await madeBy(member), false],
      ["a service of the tenant", await madeBy(service(tenantId, ownClient)), false],
      ["a client whose secret an owner has rotated", await madeBy(service(tenantId, returnedClient)), false],
      ["a platform administrator", await makeClient(tenantId), true],
      ["a client that a platform administrator made", await madeBy(service(tenantId, setup)), true],
      ["a client that a person of the platform made", await madeBy(service(tenantId, byPerson)), true],
      ["a client of such a client", await madeBy(service(tenantId, child)), true],
      ["a client whose secret such a client has rotated", await madeBy(service(tenantId, takenClient)), true],
      ["a client of the platform whose holder is unknown", await madeBy(service(tenantId, unknown)), true],
    ];
    expect(walk.map(([who, { data }]) => [who, data?.["client"]?.createdByPlatform])).toEqual(
      walk.map(([who, , mark]) => [who, mark]),
    );
    // an agent gives no publishing scopes
    const byAgent = await platform.ask(agent, ownCreation, { input: { name: "CI", scopes: ["templates.read"] } });
    expect(byAgent.data?.["client"]).toMatchObject({ createdByPlatform: true });
  });

  it("is absent in the platform's own tenant", async () => {
    expect((await makeClient(platformTenantId)).data?.["client"]).toMatchObject({ createdByPlatform: false });
  });

  it("is missing in no repeated answer that the release before has stored", async () => {
    const tenantId = await aTenant();
    const first = await makeClient(tenantId, "stored");
    await platform.admin.query(
      "update idempotency_records set result = (result::jsonb - 'createdByPlatform')::json where tenant_id = $1 and key = 'stored'",
      [decodeId("ten", tenantId)],
    );
    const again = await makeClient(tenantId, "stored");
    expect([again.replayed, again.errors, again.data?.["client"].clientId]).toEqual([true, [], idOf(first)]);
  });
});
