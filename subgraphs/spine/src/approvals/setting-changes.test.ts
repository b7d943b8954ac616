import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { type Scope, tenantScopes } from "@factory/schema/scopes";
import { aUser } from "../people/users/user.fixture.js";
import {
  type Answer,
  type Json,
  platformAdmin,
  principal,
  RunningSpine,
  signedIn,
  until,
} from "../running-spine.fixture.js";
import { expireSettingChange } from "./expire-setting-change.js";

let platform: RunningSpine;
let database: Database;
let tenantId: string;

beforeAll(async () => {
  platform = await RunningSpine.shared();
  database = await platform.openDatabase();
});
beforeEach(async () => {
  tenantId = await platform.activeTenant(`waiting-${Math.random().toString(36).slice(2, 9)}`);
});
afterAll(async () => {
  await database?.close();
  await platform?.stop();
});

const key = "retention.auditLogDays";
const scopes: readonly Scope[] = ["config.read", "config.manage", "governance.read", "governance.approve"];
const person = (changes: Partial<Principal> = {}) => signedIn(tenantId, scopes, changes);

const set = (value: number, by = person(), args = ""): Promise<Answer> =>
  platform.ask(
    by,
    `mutation { entry: setConfigEntry(key: "${key}", input: { value: ${value} }${args}) { value version created approvalId } }`,
  );

/** The ID of the approval that the weaker value waits for. */
async function asked(value: number, by = person()): Promise<string> {
  const { data, errors } = await set(value, by);
  expect(errors).toEqual([]);
  return data?.["entry"].approvalId;
}

const members =
  "approvalId status subject agentClientId scopes requiredAcr decidedBy setting { key change oldValue newValue description }";

const decide = (field: string, approvalId: string, by: Principal) =>
  platform.ask(by, `mutation { made: ${field}(approvalId: "${approvalId}") { ${members} } }`);

const outcome = ({ data, refusal }: Answer) => refusal?.["code"] ?? data?.["made"].status;

async function inForce(): Promise<unknown> {
  const { data } = await platform.ask(person(), "{ knownSettings { key value } }");
  return data?.["knownSettings"].find((setting: Json) => setting.key === key)?.value;
}

const eventsAbout = async (approvalId: string) =>
  (await platform.eventsOf(tenantId)).filter(({ data }) => data["approvalId"] === approvalId);

const statusOf = async (approvalId: string) =>
  (await platform.ask(person(), `{ made: approval(approvalId: "${approvalId}") { status } }`)).data?.["made"].status;

/** The operations in the tenant's audit log that name the approval. */
async function audited(approvalId: string): Promise<string[]> {
  const { rows } = await platform.admin.query<{ operation: string }>(
    `select envelope->>'operation' as operation from outbox where envelope->>'messagekind' = 'audit'
       and envelope->>'tenantid' = $1 and envelope->>'subject' = $2 order by seq`,
    [tenantId, `approvals/${approvalId}`],
  );
  return rows.map(({ operation }) => operation);
}

describe("a weaker value that waits", () => {
  it("shows the value in force, and both values to the person who decides", async () => {
    const asker = person();
    expect((await set(100, asker)).data?.["entry"]).toEqual({
      ...{ value: 365, version: 0, created: false, approvalId: expect.stringMatching(/^apr_/) },
    });
    await set(400);
    const { data } = await set(50, asker);
    expect(data?.["entry"]).toMatchObject({ value: 400, version: 1 });
    const { approvalId } = data?.["entry"] ?? {};
    const answer = await platform.ask(person(), `{ made: approval(approvalId: "${approvalId}") { ${members} } }`);
    expect(answer.data?.["made"]).toEqual({
      ...{ approvalId, status: "Pending", subject: asker.subject, agentClientId: "cli_studio", scopes: [] },
      ...{ requiredAcr: null, decidedBy: null },
      setting: { key, change: "Set", oldValue: 400, newValue: 50, description: null },
    });
  });

  it("takes effect with the approval of another person, in the name of the one who asked", async () => {
    const [asker, approver] = [person(), person()];
    const approvalId = await asked(100, asker);
    expect(outcome(await decide("approveScopes", approvalId, asker))).toBe("SELF_APPROVAL");
    const { data } = await decide("approveScopes", approvalId, approver);
    expect(data?.["made"]).toMatchObject({ status: "Approved", decidedBy: approver.subject });
    expect(await inForce()).toBe(100);
    const entry = await platform.ask(person(), `{ made: configEntry(key: "${key}") { updatedBy version } }`);
    expect(entry.data?.["made"]).toEqual({ updatedBy: asker.subject, version: 1 });
    expect((await eventsAbout(approvalId)).map(({ type, data: facts }) => [type, facts["decidedBy"]])).toEqual([
      ["SettingChangeRequested", undefined],
      ["SettingChangeApproved", approver.subject],
    ]);
    expect(await audited(approvalId)).toEqual(["setConfigEntry", "approveScopes"]);
    expect(outcome(await decide("approveScopes", approvalId, person()))).toBe("INVALID_STATE");
    expect(await statusOf(approvalId)).toBe("Approved");
  });

  it("ends with a rejection, and with the withdrawal of the person who asked", async () => {
    const asker = person();
    const rejectedId = await asked(100, asker);
    expect(outcome(await decide("rejectScopes", rejectedId, person()))).toBe("Rejected");
    const withdrawn = await asked(100, asker);
    for (const other of [
      person(),
      principal(tenantId, scopes),
      person({ subject: asker.subject, principalType: "Agent" }),
    ])
      expect(outcome(await decide("withdrawSettingChange", withdrawn, other))).toBe("NOT_THE_REQUESTER");
    expect(outcome(await decide("withdrawSettingChange", withdrawn, asker))).toBe("Withdrawn");
    for (const approvalId of [rejectedId, withdrawn])
      for (const field of ["approveScopes", "rejectScopes", "withdrawSettingChange"])
        expect(outcome(await decide(field, approvalId, field.startsWith("with") ? asker : person()))).toBe(
          "INVALID_STATE",
        );
    expect(await inForce()).toBe(365);
    expect((await eventsAbout(withdrawn)).at(-1)).toMatchObject({
      type: "SettingChangeWithdrawn",
      data: { reason: "Requested", oldValue: 365, newValue: 100 },
    });
    expect(await audited(rejectedId)).toEqual(["setConfigEntry", "rejectScopes"]);
    expect(await audited(withdrawn)).toEqual(["setConfigEntry", "withdrawSettingChange"]);
  });

  it("expires after a day, with an event and an audit record", async () => {
    const approvalId = await asked(100);
    await expireSettingChange(database, { tenantId, approvalId });
    expect(await statusOf(approvalId)).toBe("Pending");
    await platform.admin.query(
      "update approvals set valid_until = valid_until - interval '24 hours 1 second' where approval_id = $1",
      [decodeId("apr", approvalId)],
    );
    expect(outcome(await decide("approveScopes", approvalId, person()))).toBe("INVALID_STATE");
    for (let times = 0; times < 2; times += 1) await expireSettingChange(database, { tenantId, approvalId });
    expect((await eventsAbout(approvalId)).map(({ type }) => type)).toEqual([
      "SettingChangeRequested",
      "SettingChangeExpired",
    ]);
    expect(await audited(approvalId)).toEqual(["setConfigEntry", "expireSettingChange"]);
    expect(await inForce()).toBe(365);
  });

  it("has a job that lets it expire", async () => {
    const approvalId = await asked(100);
    const { rows } = await platform.admin.query(
      "select start_after > now() + interval '23 hours' as later from spine_jobs.job where name = 'expire-setting-change' and data->>'approvalId' = $1",
      [approvalId],
    );
    expect(rows).toEqual([{ later: true }]);
  });

  it("ends when the setting gets another value, or the same one again with a description", async () => {
    const first = await asked(100);
    await set(500);
    expect(await statusOf(first)).toBe("Withdrawn");
    expect((await eventsAbout(first)).at(-1)).toMatchObject({
      type: "SettingChangeWithdrawn",
      data: { reason: "KeyChanged" },
    });
    const second = await asked(100);
    const mutation = `mutation { setConfigEntry(key: "${key}", input: { value: 500, description: "Why" }) { version } }`;
    await platform.ask(person(), mutation);
    expect(await statusOf(second)).toBe("Withdrawn");
    expect(outcome(await decide("approveScopes", second, person()))).toBe("INVALID_STATE");
    expect(await inForce()).toBe(500);
  });

  const asksFor = (userId: string) => person({ subject: userId });
  const someone = async () => (await aUser(platform, tenantId, scopes)).userId;
  const assignmentOf = async (userId: string) => {
    const assignments = "select assignment_id, role_id from role_assignments where principal_id = $1";
    const [row] = (await platform.admin.query(assignments, [userId])).rows;
    return `assignmentId: "${encodeId("asg", row.assignment_id)}", roleId: "${encodeId("rol", row.role_id)}"`;
  };

  it.each([
    ["is disabled", "RequesterDisabled", async (userId: string) => `disableUser(userId: "${userId}") { userId }`],
    ["is deleted", "RequesterDeleted", async (userId: string) => `deleteUser(userId: "${userId}") { userId }`],
    [
      "has lost the scope",
      "RequesterLostScopes",
      async (userId: string) => `unassignRole(${await assignmentOf(userId)}) { roleId }`,
    ],
  ])("ends when the person who asked %s", async (_, reason, loss) => {
    const [asker, other] = [await someone(), await someone()];
    const [approvalId, keptId] = [await asked(100, asksFor(asker)), await asked(200, asksFor(other))];
    const { errors } = await platform.ask(signedIn(tenantId, tenantScopes), `mutation { ${await loss(asker)} }`);
    expect(errors).toEqual([]);
    expect((await eventsAbout(approvalId)).at(-1)).toMatchObject({ type: "SettingChangeWithdrawn", data: { reason } });
    expect(outcome(await decide("approveScopes", approvalId, person()))).toBe("INVALID_STATE");
    expect([await inForce(), await statusOf(keptId)]).toEqual([365, "Pending"]);
  });

  it("ends when the change of another person is approved", async () => {
    const [firstId, other] = [await asked(100), await asked(200)];
    expect(outcome(await decide("approveScopes", other, person()))).toBe("Approved");
    expect(await statusOf(firstId)).toBe("Withdrawn");
    expect(await inForce()).toBe(200);
  });

  it("is stored once for each person and value, and replaced by another value of the same person", async () => {
    const asker = person();
    const first = await asked(100, asker);
    expect(await asked(100, asker)).toBe(first);
    expect(await asked(100)).not.toBe(first);
    const replacedId = await asked(90, asker);
    expect([await statusOf(first), await statusOf(replacedId)]).toEqual(["Withdrawn", "Pending"]);
    expect((await eventsAbout(first)).map(({ type }) => type)).toEqual([
      "SettingChangeRequested",
      "SettingChangeWithdrawn",
    ]);
  });

  it("is decided once, also by two people at the same time", async () => {
    const approvalId = await asked(100);
    const outcomes = await Promise.all([
      decide("approveScopes", approvalId, person()),
      decide("rejectScopes", approvalId, person()),
      set(600),
    ]);
    const [approval, rejection] = outcomes.slice(0, 2).map(outcome);
    expect([
      ["Approved", "INVALID_STATE"],
      ["INVALID_STATE", "Rejected"],
      ["INVALID_STATE", "INVALID_STATE"],
    ]).toContainEqual([approval, rejection]);
    expect((await eventsAbout(approvalId)).length).toBe(2);
    expect(await inForce()).toBe(600);
  });

  it("obeys the preconditions of the request", async () => {
    await set(400);
    expect((await set(100, person(), ', ifMatch: "\\"7\\""')).refusal).toMatchObject({ code: "PRECONDITION_FAILED" });
    expect((await set(100, person(), ', ifMatch: "\\"1\\""')).data?.["entry"].approvalId).toMatch(/^apr_/);
  });
});

describe("a decision about a protected setting", () => {
  it("is refused to services, agents, tokens of the password grant and people without a recent sign-in", async () => {
    const approvalId = await asked(100);
    const deciders: [Principal, string][] = [
      [principal(tenantId, scopes), "PERSON_REQUIRED"],
      [{ ...principal(tenantId, scopes), principalType: "Agent" }, "SELF_APPROVAL"],
      [person({ actors: ["cli_agent"] }), "SELF_APPROVAL"],
      [person({ passwordGrant: true }), "BROWSER_SIGN_IN_REQUIRED"],
      [person({ authTime: Math.floor(Date.now() / 1000) - 901 }), "AUTHENTICATION_TOO_OLD"],
      [person({ firstParty: undefined }), "FIRST_PARTY_CLIENT_REQUIRED"],
      [signedIn(tenantId, ["config.manage"]), "INSUFFICIENT_SCOPE"],
      [
        person({ tenantId: await platform.activeTenant(`elsewhere-${Math.random().toString(36).slice(2, 9)}`) }),
        "NOT_FOUND",
      ],
    ];
    for (const [decider, code] of deciders)
      for (const field of ["approveScopes", "rejectScopes"])
        expect([code, outcome(await decide(field, approvalId, decider))]).toEqual([code, code]);
    expect(await inForce()).toBe(365);
  });

  it("needs the level that the tenant asks for, also where the level itself is lowered", async () => {
    const second = "urn:factory:acr:second-factor";
    const level = (value: string | null, by: Principal) =>
      platform.ask(
        by,
        `mutation ($input: SetConfigurationInput!) { entry: setConfigEntry(key: "governance.approve.acr", input: $input) { approvalId } }`,
        { input: { value } },
      );
    const weak = person({ acr: "urn:factory:acr:password" });
    expect((await level(second, weak)).errors).toEqual([]);
    expect((await level(null, weak)).refusal).toMatchObject({ code: "AUTHENTICATION_TOO_WEAK" });
    const { approvalId } = (await level(null, person({ acr: second }))).data?.["entry"] ?? {};
    expect(outcome(await decide("approveScopes", approvalId, weak))).toBe("AUTHENTICATION_TOO_WEAK");
    expect(outcome(await decide("approveScopes", approvalId, person({ acr: second })))).toBe("Approved");
  });
});

describe("a platform administrator", () => {
  const forTenant = (field: string, approvalId: string, by: Principal, of = tenantId) =>
    platform.ask(by, `mutation { made: ${field}(tenantId: "${of}", approvalId: "${approvalId}") { ${members} } }`);

  it("decides where no second person exists, and sees both values before", async () => {
    const [firstId, other] = [await asked(100), await asked(90)];
    const answer = await platform.ask(
      platformAdmin(),
      `{ made: tenantSettingChange(tenantId: "${tenantId}", approvalId: "${firstId}") { ${members} } }`,
    );
    expect(answer.data?.["made"].setting).toMatchObject({ key, oldValue: 365, newValue: 100 });
    expect(outcome(await forTenant("rejectTenantSetting", other, platformAdmin()))).toBe("Rejected");
    expect(outcome(await forTenant("approveTenantSetting", firstId, platformAdmin()))).toBe("Approved");
    expect(await inForce()).toBe(100);
    expect(await audited(firstId)).toEqual(["setConfigEntry", "approveTenantSetting"]);
    await until(async () => (await eventsAbout(firstId)).some(({ type }) => type === "SettingChangeApproved"));
  });

  it("does not approve where another person of the tenant can, and approves where all are one person with the asker", async () => {
    const asker = await aUser(platform, tenantId, ["governance.approve"]);
    const approvalId = await asked(100, person({ subject: asker.userId }));
    const second = await aUser(platform, tenantId, ["governance.approve"]);
    expect(outcome(await forTenant("approveTenantSetting", approvalId, platformAdmin()))).toBe("CONFLICT");
    await platform.admin.query(
      "insert into user_origins (tenant_id, principal, invited_by, joined_at) values ($1, $2, $3, now())",
      [decodeId("ten", tenantId), second.userId, [asker.userId]],
    );
    expect(outcome(await forTenant("approveTenantSetting", approvalId, platformAdmin()))).toBe("Approved");
  });

  it("rejects also where another person of the tenant can", async () => {
    await aUser(platform, tenantId, ["governance.approve"]);
    const approvalId = await asked(100);
    expect(outcome(await forTenant("rejectTenantSetting", approvalId, platformAdmin()))).toBe("Rejected");
  });

  it("decides in no other way: not by the operations of a tenant, not about scopes, and nobody else does", async () => {
    const approvalId = await asked(100);
    const elsewhere = await platform.activeTenant(`other-${Math.random().toString(36).slice(2, 9)}`);
    const refusals: [Answer, string][] = [
      [await decide("approveScopes", approvalId, platformAdmin()), "NOT_FOUND"],
      [await forTenant("approveTenantSetting", approvalId, platformAdmin(), elsewhere), "NOT_FOUND"],
      [await forTenant("approveTenantSetting", "apr_x", platformAdmin()), "NOT_FOUND"],
      [await forTenant("approveTenantSetting", approvalId, platformAdmin(), "ten_x"), "NOT_FOUND"],
      [await forTenant("approveTenantSetting", approvalId, person()), "INSUFFICIENT_SCOPE"],
      [
        await forTenant("approveTenantSetting", approvalId, {
          ...platformAdmin(),
          ...{ principalType: "User", firstParty: true, authTime: 1 },
        }),
        "AUTHENTICATION_TOO_OLD",
      ],
    ];
    for (const [answer, code] of refusals) expect(outcome(answer)).toBe(code);
    expect(await inForce()).toBe(365);
  });
});
