import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { type Scope, tenantScopes } from "@factory/schema/scopes";
import pg from "pg";
import { type Answer, principal, RunningSpine } from "../../running-spine.fixture.js";
import { AssignmentExpiry } from "./assignment-expiry.js";
import { effectiveAccess } from "./effective-access.js";
import { systemRoles } from "./system-roles.js";

let platform: RunningSpine;
let database: Database;
let tenantId: string;
let other: string;
beforeAll(async () => {
  platform = await RunningSpine.start();
  database = await platform.openDatabase();
  tenantId = await platform.activeTenant("acme");
  other = await platform.activeTenant("other");
});
afterAll(async () => {
  await database?.close();
  await platform?.stop();
});

const roleFields = "roleId code name description scopes isSystem createdAt";
const assignmentFields = "assignmentId roleId roleCode userId principalId assignedAt assignedBy expiresAt";
const documents = {
  roles: `query ($first: Int, $after: String, $filter: RoleFilterInput) {
    roles(first: $first, after: $after, filter: $filter) { items { ${roleFields} } nextCursor } }`,
  role: `query ($roleId: ID!) { role(roleId: $roleId) { ${roleFields} } }`,
  createRole: `mutation ($input: CreateRoleInput!) { createRole(input: $input) { ${roleFields} } }`,
  updateRole: `mutation ($roleId: ID!, $input: UpdateRoleInput!) {
    updateRole(roleId: $roleId, input: $input) { ${roleFields} } }`,
  deleteRole: `mutation ($roleId: ID!) { deleteRole(roleId: $roleId) { roleId } }`,
  roleAssignments: `query ($roleId: ID!, $first: Int, $after: String) {
    roleAssignments(roleId: $roleId, first: $first, after: $after) { items { ${assignmentFields} } nextCursor } }`,
  assignRole: `mutation ($roleId: ID!, $input: AssignRoleInput!) {
    assignRole(roleId: $roleId, input: $input) { ${assignmentFields} created } }`,
  unassignRole: `mutation ($roleId: ID!, $assignmentId: ID!) {
    unassignRole(roleId: $roleId, assignmentId: $assignmentId) { assignmentId } }`,
};
type Field = keyof typeof documents;

const owner = (of = tenantId) => principal(of, tenantScopes);
const holding = (...scopes: Scope[]) => principal(tenantId, scopes);

const ask = (who: Principal, field: Field, variables: Record<string, unknown> = {}): Promise<Answer> =>
  platform.ask(who, documents[field], variables);

/** The only root field's value. The test fails on an error. */
async function done(who: Principal, field: Field, variables: Record<string, unknown> = {}) {
  const { data, errors } = await ask(who, field, variables);
  if (!data) throw new Error(JSON.stringify(errors));
  return data[field];
}

const accountError = async (who: Principal, field: Field, variables: Record<string, unknown> = {}) =>
  (await ask(who, field, variables)).refusal;

async function roleCalled(code: string, of = tenantId): Promise<string> {
  const { items } = await done(owner(of), "roles", { filter: { q: code } });
  return items.find((role: { code: string }) => role.code === code).roleId;
}

let users = 0;
async function aUser(status = "Active", of = tenantId): Promise<string> {
  const userId = newId("usr");
  const email = `user${++users}@example.com`;
  await platform.admin.query(
    `insert into users (tenant_id, user_id, email, email_key, status, password_hash, created_at, updated_at)
     values ($1, $2, $3, $3, $4, 'none', now(), now())`,
    [decodeId("ten", of), decodeId("usr", userId), email, status],
  );
  return userId;
}

const aRole = (code: string, scopes: readonly string[] = ["user.read"]) =>
  done(owner(), "createRole", { input: { code, name: code, scopes } });

const revocationsOf = async (subject: string) =>
  (await platform.admin.query("select kind from revocations where subject = $1", [subject])).rows.map(
    ({ kind }) => kind as string,
  );

const eventsAbout = async (principalId: string) =>
  (await platform.eventsOf(tenantId)).filter(
    ({ data }) => (data as { principalId?: string }).principalId === principalId,
  );

const access = async (principalId: string) => {
  const { roles, scopes } = await effectiveAccess(database.reader, tenantWithId(tenantId), principalId);
  return { roles, scopes: [...scopes].sort() };
};

const inAMinute = () => new Date(Date.now() + 60_000).toISOString();
const expire = (assignmentId: string) =>
  platform.admin.query(
    "update role_assignments set expires_at = now() - interval '1 second' where assignment_id = $1",
    [decodeId("asg", assignmentId)],
  );

async function deleteExpired(): Promise<void> {
  const workers = new pg.Pool({ connectionString: platform.connections.worker, max: 2 });
  try {
    await new AssignmentExpiry({
      ...{ database, workers, onPermissionLoss: async () => undefined },
      logger: createLogger("sweep", "silent"),
    }).deleteExpired();
  } finally {
    await workers.end();
  }
}

describe("Query.roles", () => {
  it("lists the roles of the tenant, oldest first, page by page", async () => {
    const codes: string[] = [];
    for (let after: string | null = null; ; ) {
      const { items, nextCursor } = await done(owner(other), "roles", { first: 3, after });
      codes.push(...items.map(({ code }: { code: string }) => code));
      if (nextCursor === null) break;
      after = nextCursor as string;
    }
    expect(codes).toEqual(systemRoles.map(({ code }) => code));
  });

  it("filters, and accepts a cursor only with the same filters", async () => {
    await aRole("Filtered");
    expect((await done(owner(), "roles", { filter: { isSystem: false, q: "FILTER" } })).items).toHaveLength(1);
    expect((await done(owner(), "roles", { filter: { isSystem: true, q: "filter" } })).items).toEqual([]);
    expect((await done(owner(), "roles", { filter: { q: "%" } })).items).toEqual([]);
    const { nextCursor } = await done(owner(), "roles", { first: 1 });
    const refusal = await accountError(owner(), "roles", { after: nextCursor, filter: { isSystem: true } });
    expect(refusal).toMatchObject({ code: "INVALID_CURSOR" });
    expect(await accountError(owner(other), "roles", { after: nextCursor })).toMatchObject({ code: "INVALID_CURSOR" });
  });
});

describe("roles that a tenant creates", () => {
  it("have scopes of a tenant and no others", async () => {
    const role = await aRole("Reader-1", ["templates.read", "user.read", "templates.read"]);
    expect(role).toMatchObject({ code: "Reader-1", scopes: ["templates.read", "user.read"], isSystem: false });
    for (const scope of ["tenant.read", "tenant.manage", "nothing"])
      expect(
        await accountError(owner(), "createRole", {
          input: { code: "Wide", name: "Wide", scopes: ["user.read", scope] },
        }),
      ).toMatchObject({ code: "REFERENCE_NOT_FOUND", errors: [{ pointer: "/input/scopes/1", code: "UNKNOWN_VALUE" }] });
  });

  it.each(["x", "1st", "a b", `a${"b".repeat(64)}`, "ä1", "", "a.b"])("are not called %j", async (code) => {
    expect(
      await accountError(owner(), "createRole", { input: { code, name: "x", scopes: ["user.read"] } }),
    ).toMatchObject({
      code: "VALIDATION_FAILED",
      errors: [{ pointer: "/input/code" }],
    });
  });

  it("have unique codes, ignoring case", async () => {
    for (const code of ["TenantOwner", "tenantowner", "reader-1"])
      expect(
        await accountError(owner(), "createRole", { input: { code, name: "x", scopes: ["user.read"] } }),
      ).toMatchObject({
        code: "CONFLICT",
        status: 409,
      });
  });

  it("are created and changed only within the scopes of the caller", async () => {
    const helper = holding("role.assign", "user.read");
    const input = { code: "Helper", name: "Helper", scopes: ["user.read", "config.manage"] };
    expect(await accountError(helper, "createRole", { input })).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
      requiredScopes: ["config.manage"],
    });
    const { roleId } = await done(helper, "createRole", { input: { ...input, scopes: ["user.read"] } });
    expect(await accountError(helper, "updateRole", { roleId, input: { scopes: ["config.manage"] } })).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
    await done(owner(), "updateRole", { roleId, input: { scopes: ["user.read", "config.manage"] } });
    for (const field of ["updateRole", "deleteRole"] as const)
      expect(await accountError(helper, field, { roleId, input: { name: "Mine" } })).toMatchObject({
        code: "INSUFFICIENT_SCOPE",
      });
  });

  it("change only in the given members", async () => {
    const { roleId, createdAt } = await aRole("Changing");
    const changedRole = await done(owner(), "updateRole", { roleId, input: { name: "New", description: "Text" } });
    expect(changedRole).toEqual({
      roleId,
      code: "Changing",
      name: "New",
      description: "Text",
      scopes: ["user.read"],
      isSystem: false,
      createdAt,
    });
  });

  it("revoke their holders' tokens when they lose a scope, and only then", async () => {
    const { roleId } = await aRole("Shrinking", ["user.read", "role.read"]);
    const userId = await aUser();
    await done(owner(), "assignRole", { roleId, input: { userId } });
    await done(owner(), "updateRole", { roleId, input: { scopes: ["user.read", "role.read", "config.read"] } });
    expect(await revocationsOf(userId)).toEqual([]);
    await done(owner(), "updateRole", { roleId, input: { scopes: ["user.read"] } });
    expect(await revocationsOf(userId)).toEqual(["Principal"]);
    expect(await access(userId)).toEqual({ roles: ["Shrinking"], scopes: ["user.read"] });
  });

  it("are deleted with their assignments, with events and revocations", async () => {
    const { roleId } = await aRole("Going");
    const userId = await aUser();
    const { assignmentId } = await done(owner(), "assignRole", { roleId, input: { userId } });
    await done(owner(), "deleteRole", { roleId });
    expect(await accountError(owner(), "role", { roleId })).toMatchObject({ code: "NOT_FOUND" });
    expect(await access(userId)).toEqual({ roles: [], scopes: [] });
    expect(await revocationsOf(userId)).toEqual(["Principal"]);
    expect((await eventsAbout(userId)).at(-1)).toMatchObject({
      type: "RoleUnassigned",
      data: { tenantId, assignmentId, roleId, roleCode: "Going", unassignedBy: "cli_test", reason: "RoleDeleted" },
    });
  });

  it("record one event for each creation, change and deletion", async () => {
    const { roleId } = await aRole("Told");
    await done(owner(), "updateRole", { roleId, input: { description: "now", scopes: ["user.read", "role.read"] } });
    await done(owner(), "deleteRole", { roleId });
    const before = { tenantId, roleId, code: "Told", name: "Told", isSystem: false };
    const after = { ...before, description: "now", scopes: ["user.read", "role.read"] };
    const roleEvents = (await platform.eventsOf(tenantId)).filter(({ subject }) => subject === `roles/${roleId}`);
    expect(roleEvents.map(({ type, data, actorid }) => ({ type, data, actorid }))).toEqual([
      { type: "RoleCreated", data: { ...before, description: null, scopes: ["user.read"] }, actorid: "cli_test" },
      { type: "RoleUpdated", data: after, actorid: "cli_test" },
      { type: "RoleDeleted", data: after, actorid: "cli_test" },
    ]);
  });

  it("are the only roles that can be changed", async () => {
    const roleId = await roleCalled("Viewer");
    expect(await accountError(owner(), "updateRole", { roleId, input: { name: "x" } })).toMatchObject({ status: 409 });
    expect(await accountError(owner(), "deleteRole", { roleId })).toMatchObject({ status: 409 });
  });
});

describe("Mutation.assignRole", () => {
  it("gives a user the role's scopes, once", async () => {
    const userId = await aUser();
    const roleId = await roleCalled("Viewer");
    const first = await done(owner(), "assignRole", { roleId, input: { userId } });
    expect(first).toEqual({
      assignmentId: expect.stringMatching(/^asg_/),
      roleId,
      roleCode: "Viewer",
      userId,
      principalId: userId,
      assignedAt: expect.any(String),
      assignedBy: "cli_test",
      expiresAt: null,
      created: true,
    });
    const again = await done(owner(), "assignRole", { roleId, input: { principalId: userId } });
    expect(again).toEqual({ ...first, created: false });
    expect((await access(userId)).roles).toEqual(["Viewer"]);
    expect((await eventsAbout(userId)).map(({ type }) => type)).toEqual(["RoleAssigned"]);
    const { items } = await done(owner(), "roleAssignments", { roleId });
    const { created: _, ...shownAssignment } = first;
    expect(items).toContainEqual(shownAssignment);
  });

  it("makes one assignment of many requests at once", async () => {
    const userId = await aUser();
    const roleId = await roleCalled("Viewer");
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => done(owner(), "assignRole", { roleId, input: { userId } })),
    );
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(answers.map(({ assignmentId }) => assignmentId)).size).toBe(1);
  });

  it("accepts a client of the tenant", async () => {
    const makeClient = `mutation { createApiClient(input: { name: "CI", scopes: ["user.read"] }) { clientId } }`;
    const { data } = await platform.ask(owner(), makeClient);
    const clientId = data?.["createApiClient"].clientId;
    const roleId = await roleCalled("Viewer");
    const answer = await done(owner(), "assignRole", { roleId, input: { principalId: clientId } });
    expect(answer).toMatchObject({ userId: null, principalId: clientId, created: true });
  });

  it("accepts only active principals of the tenant", async () => {
    const roleId = await roleCalled("Viewer");
    const strangers = [newId("usr"), await aUser("Disabled"), await aUser("Active", other), "cli_nobody", "x"];
    for (const principalId of strangers)
      expect(await accountError(owner(), "assignRole", { roleId, input: { principalId } })).toMatchObject({
        code: "REFERENCE_NOT_FOUND",
        status: 422,
        errors: [{ pointer: "/input/principalId" }],
      });
    expect(await accountError(owner(), "assignRole", { roleId, input: { userId: newId("usr") } })).toMatchObject({
      errors: [{ pointer: "/input/userId" }],
    });
  });

  it("accepts one principal, and only an expiry in the future", async () => {
    const roleId = await roleCalled("Viewer");
    const userId = await aUser();
    const wrong: [Record<string, unknown>, string][] = [
      [{}, "/input/userId"],
      [{ userId, principalId: userId }, "/input/principalId"],
      [{ userId, expiresAt: new Date(Date.now() - 1000).toISOString() }, "/input/expiresAt"],
      [{ userId, expiresAt: "2999-02-30T00:00:00Z" }, "/input/expiresAt"],
      [{ userId, expiresAt: "2999-01-01" }, "/input/expiresAt"],
    ];
    for (const [input, pointer] of wrong)
      expect([input, await accountError(owner(), "assignRole", { roleId, input })]).toEqual([
        input,
        expect.objectContaining({ code: "VALIDATION_FAILED", errors: [expect.objectContaining({ pointer })] }),
      ]);
  });

  it("refuses a role with a scope that the caller lacks", async () => {
    const userId = await aUser();
    const roleId = await roleCalled("TenantAdmin");
    expect(await accountError(holding("role.assign"), "assignRole", { roleId, input: { userId } })).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
      status: 403,
    });
    expect(await access(userId)).toEqual({ roles: [], scopes: [] });
  });

  it("changes the expiry of an existing assignment and records an event", async () => {
    const userId = await aUser();
    const roleId = await roleCalled("Viewer");
    const first = await done(owner(), "assignRole", { roleId, input: { userId, expiresAt: inAMinute() } });
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const secondAssignment = await done(owner(), "assignRole", { roleId, input: { userId, expiresAt: later } });
    expect(secondAssignment).toEqual({ ...first, expiresAt: later, created: false });
    const thirdAssignment = await done(owner(), "assignRole", { roleId, input: { userId } });
    expect(thirdAssignment.expiresAt).toBe(later);
    expect((await eventsAbout(userId)).map(({ data }) => (data as { expiresAt: string }).expiresAt)).toEqual([
      first.expiresAt,
      later,
    ]);
  });
});

describe("an assignment that has expired", () => {
  it("has no effect at once; it is deleted later, with an event and a revocation", async () => {
    const userId = await aUser();
    const roleId = await roleCalled("Viewer");
    const { assignmentId } = await done(owner(), "assignRole", { roleId, input: { userId, expiresAt: inAMinute() } });
    await expire(assignmentId);
    expect(await access(userId)).toEqual({ roles: [], scopes: [] });
    expect(JSON.stringify(await done(owner(), "roleAssignments", { roleId, first: 200 }))).not.toContain(assignmentId);
    await Promise.all([deleteExpired(), deleteExpired()]);
    const { rowCount } = await platform.admin.query("select from role_assignments where assignment_id = $1", [
      decodeId("asg", assignmentId),
    ]);
    expect(rowCount).toBe(0);
    expect((await eventsAbout(userId)).map(({ type, data }) => [type, (data as { reason?: string }).reason])).toEqual([
      ["RoleAssigned", undefined],
      ["RoleUnassigned", "Expired"],
    ]);
    expect(await revocationsOf(userId)).toEqual(["Principal"]);
  });

  it("is deleted in one turn together with all other expired assignments", async () => {
    const userId = await aUser();
    const roleId = await roleCalled("Viewer");
    const { assignmentId } = await done(owner(), "assignRole", { roleId, input: { userId, expiresAt: inAMinute() } });
    await platform.admin.query(
      `insert into role_assignments (tenant_id, assignment_id, role_id, principal_id, assigned_by, assigned_at, expires_at)
       select tenant_id, gen_random_uuid(), role_id, 'usr_' || place, assigned_by, assigned_at, now() - interval '1 hour'
       from role_assignments, generate_series(1, 350) place where assignment_id = $1`,
      [decodeId("asg", assignmentId)],
    );
    await deleteExpired();
    const { rowCount } = await platform.admin.query("select from role_assignments where expires_at <= now()");
    expect(rowCount).toBe(0);
  });

  it("can be replaced by a new one", async () => {
    const userId = await aUser();
    const roleId = await roleCalled("Viewer");
    const first = await done(owner(), "assignRole", { roleId, input: { userId, expiresAt: inAMinute() } });
    await expire(first.assignmentId);
    const second = await done(owner(), "assignRole", { roleId, input: { userId } });
    expect(second).toMatchObject({ created: true, expiresAt: null });
    expect(second.assignmentId).not.toBe(first.assignmentId);
  });
});

describe("Mutation.unassignRole", () => {
  it("removes the assignment, records an event and revokes tokens", async () => {
    const userId = await aUser();
    const roleId = await roleCalled("Viewer");
    const { assignmentId } = await done(owner(), "assignRole", { roleId, input: { userId } });
    expect(await done(owner(), "unassignRole", { roleId, assignmentId })).toEqual({ assignmentId });
    expect(await access(userId)).toEqual({ roles: [], scopes: [] });
    expect(await revocationsOf(userId)).toEqual(["Principal"]);
    expect((await eventsAbout(userId)).at(-1)).toMatchObject({
      type: "RoleUnassigned",
      subject: `roles/${roleId}/assignments/${assignmentId}`,
      data: { reason: "Requested", unassignedBy: "cli_test" },
    });
    expect(await accountError(owner(), "unassignRole", { roleId, assignmentId })).toMatchObject({ code: "NOT_FOUND" });
  });

  it("finds the assignment only under its own role and tenant", async () => {
    const userId = await aUser();
    const roleId = await roleCalled("Viewer");
    const { assignmentId } = await done(owner(), "assignRole", { roleId, input: { userId } });
    const elsewhere = [
      [owner(), await roleCalled("Developer"), assignmentId],
      [owner(other), roleId, assignmentId],
      [owner(other), await roleCalled("Viewer", other), assignmentId],
      [owner(), roleId, newId("asg")],
      [owner(), roleId, "x"],
    ] as const;
    for (const [who, role, assignment] of elsewhere)
      expect(await accountError(who, "unassignRole", { roleId: role, assignmentId: assignment })).toMatchObject({
        code: "NOT_FOUND",
      });
    expect((await access(userId)).roles).toEqual(["Viewer"]);
  });

  it("refuses a role with a scope that the caller lacks, except an own assignment", async () => {
    const userId = await aUser();
    const roleId = await roleCalled("TenantAdmin");
    const { assignmentId } = await done(owner(), "assignRole", { roleId, input: { userId } });
    const helper = holding("role.assign");
    expect(await accountError(helper, "unassignRole", { roleId, assignmentId })).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
    await done({ ...helper, subject: userId }, "unassignRole", { roleId, assignmentId });
  });

  it("keeps one owner without an expiry in the tenant", async () => {
    const roleId = await roleCalled("TenantOwner");
    const give = async (userId: string, expiresAt?: string): Promise<string> =>
      (await done(owner(), "assignRole", { roleId, input: { userId, expiresAt } })).assignmentId;
    const [first, second, passing] = [await aUser(), await aUser(), await aUser()];
    const firstOwns = await give(first);
    await give(passing, inAMinute());
    const conflict = { code: "CONFLICT", status: 409 };
    expect(await accountError(owner(), "unassignRole", { roleId, assignmentId: firstOwns })).toMatchObject(conflict);
    expect(
      await accountError(owner(), "assignRole", { roleId, input: { userId: first, expiresAt: inAMinute() } }),
    ).toMatchObject(conflict);
    const secondOwns = await give(second);
    const answers = await Promise.all(
      [firstOwns, secondOwns].map((assignmentId) => ask(owner(), "unassignRole", { roleId, assignmentId })),
    );
    expect(answers.flatMap(({ refusal }) => refusal?.["code"] ?? [])).toEqual(["CONFLICT"]);
  });
});
