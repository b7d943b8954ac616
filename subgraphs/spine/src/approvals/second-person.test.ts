import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { Scope } from "@factory/schema/scopes";
import { aUser } from "../people/users/user.fixture.js";
import { platformAdmin, principal, RunningSpine, signedIn } from "../running-spine.fixture.js";
import { storedSettings, TenantSettings } from "../settings/configuration/tenant-settings.js";
import { ApprovalRequests } from "./approval-request.js";

let platform: RunningSpine;
let database: Database;
let tenantId: string;

beforeAll(async () => {
  platform = await RunningSpine.shared();
  database = await platform.openDatabase();
  tenantId = await platform.activeTenant("puppets");
  await platform.admin.query(
    `insert into roles (tenant_id, role_id, code, name, scopes, is_system, created_at, updated_at)
     values ($1, gen_random_uuid(), 'Reader', 'Reader', '{templates.publish}', false, now() - interval '1 day', now())`,
    [decodeId("ten", tenantId)],
  );
});
afterAll(async () => {
  await database?.close();
  await platform?.stop();
});

const scopes: readonly Scope[] = ["config.manage", "governance.approve", "templates.publish"];
const as = (subject: string, changes: Partial<Principal> = {}) =>
  subject.startsWith("usr_")
    ? signedIn(tenantId, scopes, { subject, ...changes })
    : { ...principal(tenantId, scopes), subject, clientId: subject, ...changes };

/** A user whose account these invited, some days ago. */
async function invited(by: readonly string[], { days = 1 }: { days?: number } = {}): Promise<string> {
  const { userId } = await aUser(platform, tenantId, []);
  await platform.admin.query(
    "insert into user_origins (tenant_id, principal, invited_by, joined_at) values ($1, $2, $3, now() - $4 * interval '1 day')",
    [decodeId("ten", tenantId), userId, by, days],
  );
  return userId;
}

const somebody = async () => (await aUser(platform, tenantId, [])).userId;

async function aClientOf(holder: string, type = "Service"): Promise<string> {
  const { data, errors } = await platform.ask(
    as(holder, { scopes: new Set([...scopes, "client.manage"]) }),
    "mutation ($input: CreateApiClientInput!) { made: createApiClient(input: $input) { clientId } }",
    { input: { name: "inviter", scopes: ["governance.approve"], principalType: type } },
  );
  if (!data) throw new Error(JSON.stringify(errors));
  return data["made"].clientId;
}

/** A client that may invite, made by this principal. */
async function anInviter(holder: string): Promise<string> {
  const inviting: readonly Scope[] = ["user.invite", "client.manage", ...scopes];
  const { data, errors } = await platform.ask(
    as(holder, { scopes: new Set(inviting) }),
    "mutation ($input: CreateApiClientInput!) { made: createApiClient(input: $input) { clientId } }",
    { input: { name: "inviter", scopes: inviting } },
  );
  if (!data) throw new Error(JSON.stringify(errors));
  return data["made"].clientId;
}

let days = 400;

/** Asks for a weaker value for one account, and lets another one approve it. */
async function approval(asker: string, decider: string | Principal): Promise<unknown> {
  days += 1;
  const stricter = `mutation { setConfigEntry(key: "retention.auditLogDays", input: { value: ${days} }) { version } }`;
  await platform.ask(as(newId("usr")), stricter);
  const weaker = `mutation { made: setConfigEntry(key: "retention.auditLogDays", input: { value: 30 }) { approvalId } }`;
  const { data } = await platform.ask(as(asker), weaker);
  return decided(typeof decider === "string" ? as(decider) : decider, data?.["made"].approvalId);
}

async function decided(decider: Principal, approvalId: string): Promise<unknown> {
  const approve = `mutation { made: approveScopes(approvalId: "${approvalId}") { status } }`;
  const { data, refusal } = await platform.ask(decider, approve);
  return refusal?.["code"] ?? data?.["made"].status;
}

const oneThroughTheOther = async (first: string, other: string) => [
  await approval(first, other),
  await approval(other, first),
];
const onePerson = ["SELF_APPROVAL", "SELF_APPROVAL"];
const twoPeople = ["Approved", "Approved"];

describe("a second account of one person does not count as a second person", () => {
  it("if the person invited it", async () => {
    const owner = await somebody();
    expect(await oneThroughTheOther(owner, await invited([owner]))).toEqual(onePerson);
  });

  it("if it was invited through any number of accounts", async () => {
    const owner = await somebody();
    const chain = [owner];
    for (let length = 0; length < 6; length += 1) chain.push(await invited([chain.at(-1) as string]));
    expect(await oneThroughTheOther(owner, chain.at(-1) as string)).toEqual(onePerson);
    expect(await oneThroughTheOther(chain[2] as string, chain[5] as string)).toEqual(onePerson);
  });

  it("if the person invited both accounts", async () => {
    const owner = await somebody();
    expect(await oneThroughTheOther(await invited([owner]), await invited([owner]))).toEqual(onePerson);
  });

  it("if the person only sent the invitation of somebody else again, or before", async () => {
    const [owner, colleague] = [await somebody(), await somebody()];
    for (const inviters of [
      [owner, colleague],
      [colleague, owner],
    ])
      expect(await oneThroughTheOther(owner, await invited(inviters))).toEqual(onePerson);
  });

  it("if a client whose secret the person knows invited it, through any number of clients", async () => {
    const owner = await somebody();
    const first = await aClientOf(owner);
    const second = await aClientOf(first);
    for (const client of [first, second])
      expect(await oneThroughTheOther(owner, await invited([client]))).toEqual(onePerson);
  });

  /** Invites for the caller, and returns everybody whom the invitation remembers. */
  async function invitersOf(caller: string): Promise<string[]> {
    const email = `${newId("usr")}@example.com`;
    const invite = "mutation ($input: InviteUserInput!) { made: inviteUser(input: $input) { invitationId } }";
    const by = as(caller, { scopes: new Set([...scopes, "user.invite"]) });
    const { data, errors } = await platform.ask(by, invite, { input: { email, roleCodes: ["Reader"] } });
    if (!data) throw new Error(JSON.stringify(errors));
    const { rows } = await platform.admin.query("select inviters from invitations where invitation_id = $1", [
      decodeId("inv", data["made"].invitationId),
    ]);
    return rows[0].inviters;
  }

  const rotate = async (client: string, by: string) => {
    const all = new Set<Scope>([...scopes, "client.manage", "user.invite"]);
    const { errors } = await platform.ask(
      as(by, { scopes: all }),
      `mutation { rotateApiClientSecret(clientId: "${client}") { clientId } }`,
    );
    expect(errors).toEqual([]);
  };

  it("if a client of the person invited it after it had renewed its own secret, or one of them that of the other", async () => {
    const owner = await somebody();
    const [ownClient, firstClient, other] = [await anInviter(owner), await anInviter(owner), await anInviter(owner)];
    await rotate(ownClient, ownClient);
    await rotate(firstClient, other);
    await rotate(other, firstClient);
    for (const client of [ownClient, firstClient, other])
      expect(await oneThroughTheOther(owner, await invited(await invitersOf(client)))).toEqual(onePerson);
  });

  it("if the client that invited it came into other hands since, also into those of the new account", async () => {
    const owner = await somebody();
    const client = await anInviter(owner);
    const second = await invited(await invitersOf(client));
    await rotate(client, second);
    expect(await oneThroughTheOther(owner, second)).toEqual(onePerson);
    await rotate(client, await somebody());
    expect(await oneThroughTheOther(owner, second)).toEqual(onePerson);
  });

  it("in a circle of invitations", async () => {
    const [first, other] = [newId("usr"), newId("usr")];
    for (const [account, by] of [
      [first, other],
      [other, first],
    ] as const)
      await platform.admin.query(
        "insert into user_origins (tenant_id, principal, invited_by, joined_at) values ($1, $2, $3, now())",
        [decodeId("ten", tenantId), account, [by]],
      );
    expect(await approval(first, other)).toBe("SELF_APPROVAL");
  });
});

describe("two people", () => {
  it("are those of whom one invited the other more than 30 days ago", async () => {
    const owner = await somebody();
    expect(await oneThroughTheOther(owner, await invited([owner], { days: 29.9 }))).toEqual(onePerson);
    expect(await oneThroughTheOther(owner, await invited([owner], { days: 30.1 }))).toEqual(twoPeople);
  });

  it("are those whom different people invited", async () => {
    const [owner, colleague] = [await somebody(), await somebody()];
    expect(await oneThroughTheOther(owner, await invited([colleague]))).toEqual(twoPeople);
    expect(await oneThroughTheOther(await invited([owner]), await invited([colleague]))).toEqual(twoPeople);
  });

  it("are those whom the platform invited, or a client of the platform", async () => {
    for (const inviter of ["platform", newId("cli")])
      expect(await oneThroughTheOther(await invited([inviter]), await invited([inviter]))).toEqual(twoPeople);
  });
});

describe("a confirmation", () => {
  const confirm = async (by: Principal, userId: string) => {
    const { data, refusal } = await platform.ask(
      by,
      `mutation { made: confirmUser(userId: "${userId}") { confirmedBy } }`,
    );
    return refusal?.["code"] ?? data?.["made"].confirmedBy;
  };

  it("by a person outside of the chain lets a new account count, and is told", async () => {
    const [owner, outsider] = [await somebody(), await somebody()];
    const newcomer = await invited([owner]);
    const friend = await invited([newcomer]);
    expect(await confirm(as(outsider), newcomer)).toBe(outsider);
    expect(await confirm(as(await somebody()), newcomer)).toBe(outsider);
    expect(await oneThroughTheOther(owner, newcomer)).toEqual(twoPeople);
    expect(await oneThroughTheOther(owner, friend)).toEqual(twoPeople);
    expect(await oneThroughTheOther(newcomer, friend)).toEqual(onePerson);
    const confirmations = (await platform.eventsOf(tenantId)).filter(({ type }) => type === "UserConfirmed");
    expect(confirmations.filter(({ data }) => data["userId"] === newcomer)).toMatchObject([
      { data: { confirmedBy: outsider } },
    ]);
  });

  it("is refused to the inviters, to accounts of the same chain and to the account itself", async () => {
    const owner = await somebody();
    const [first, other] = [await invited([owner]), await invited([owner])];
    for (const by of [owner, other, first, await invited([first])])
      expect(await confirm(as(by), first)).toBe("SELF_APPROVAL");
    expect(await oneThroughTheOther(owner, first)).toEqual(onePerson);
  });

  it("is refused to services, agents, tokens of the password grant and an old sign-in", async () => {
    const newcomer = await invited([await somebody()]);
    const outsider = await somebody();
    const service = await aClientOf(outsider);
    expect(await confirm(as(service), newcomer)).toBe("PERSON_REQUIRED");
    expect(await confirm(as(outsider, { actors: ["cli_agent"] }), newcomer)).toBe("SELF_APPROVAL");
    expect(await confirm(as(outsider, { passwordGrant: true }), newcomer)).toBe("BROWSER_SIGN_IN_REQUIRED");
    expect(await confirm(as(outsider, { authTime: 1 }), newcomer)).toBe("AUTHENTICATION_TOO_OLD");
    expect(await confirm(as(outsider, { scopes: new Set(["user.invite"]) }), newcomer)).toBe("INSUFFICIENT_SCOPE");
  });

  it("is not needed by users who are not new, and not found for others", async () => {
    const outsider = as(await somebody());
    expect(await confirm(outsider, await invited([newId("usr")], { days: 31 }))).toBe("INVALID_STATE");
    expect(await confirm(outsider, await somebody())).toBe("INVALID_STATE");
    for (const unknown of [newId("usr"), "usr_x", newId("cli")])
      expect(await confirm(outsider, unknown)).toBe("NOT_FOUND");
    const elsewhere = await platform.activeTenant("strangers");
    expect(await confirm({ ...outsider, tenantId: elsewhere }, await invited([outsider.subject]))).toBe("NOT_FOUND");
  });

  it("comes from the platform administrator where nobody else can", async () => {
    const owner = await somebody();
    const newcomer = await invited([owner]);
    const document = `mutation { made: confirmTenantUser(tenantId: "${tenantId}", userId: "${newcomer}") { confirmedBy } }`;
    expect((await platform.ask(as(owner), document)).refusal).toMatchObject({ code: "INSUFFICIENT_SCOPE" });
    expect((await platform.ask(platformAdmin(), document)).data?.["made"]).toEqual({ confirmedBy: "cli_test" });
    expect(await oneThroughTheOther(owner, newcomer)).toEqual(twoPeople);
  });
});

describe("the approval of publishing", () => {
  async function publishing(subject: string): Promise<string> {
    const requests = new ApprovalRequests(database, new TenantSettings(storedSettings(database)));
    const wish = { agentClientId: newId("cli"), agentTaskId: "task", subject, scopes: ["templates.publish"] as const };
    const cause = { trace: continueTrace(undefined), actorId: subject };
    return (await requests.request(tenantWithId(tenantId), wish, cause)).approvalId;
  }
  const ageOfTenant = (days: number) =>
    platform.admin.query("update tenants set created_at = now() - $2 * interval '1 day' where tenant_id = $1", [
      decodeId("ten", tenantId),
      days,
    ]);

  afterEach(() => ageOfTenant(0));

  it("counts inviters from the 31st day of the tenant, since before that everybody is new", async () => {
    const owner = await somebody();
    const newcomer = await invited([owner]);
    const client = await aClientOf(newcomer);
    await ageOfTenant(29.9);
    for (const decider of [newcomer, client])
      expect(await decided(as(decider), await publishing(owner))).toBe("Approved");
    await ageOfTenant(30.1);
    for (const decider of [newcomer, client])
      expect(await decided(as(decider), await publishing(owner))).toBe("SELF_APPROVAL");
    expect(await decided(as(await somebody()), await publishing(owner))).toBe("Approved");
  });
});
