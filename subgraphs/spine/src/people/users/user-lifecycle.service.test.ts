import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import { createLogger } from "@factory/runtime/telemetry/logger";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { type Scope, tenantScopes } from "@factory/schema/scopes";
import pg from "pg";
import { AssignmentExpiry } from "../../rights/roles/assignment-expiry.js";
import { SystemRolesRefresher } from "../../rights/roles/refresh-system-roles.js";
import { type Json, principal, RunningSpine, until } from "../../running-spine.fixture.js";
import { revokeUnauthorizedInvitations } from "../invitations/revoke-unauthorized-invitations.js";
import { aUser, type TestUser } from "./user.fixture.js";

let platform: RunningSpine;
let database: Database;
let tenantId: string;

beforeAll(async () => {
  platform = await RunningSpine.start();
  database = await platform.openDatabase();
  tenantId = await platform.activeTenant("leaving");
});
afterAll(async () => {
  await database?.close();
  await platform?.stop();
});

const owner = () => principal(tenantId, tenantScopes);
const as = ({ userId }: Pick<TestUser, "userId">, scopes: readonly Scope[] = tenantScopes) => ({
  ...principal(tenantId, scopes),
  subject: userId,
  principalType: "User" as const,
  authTime: Math.floor(Date.now() / 1000),
});

async function done(by: ReturnType<typeof owner>, document: string, variables: object = {}): Promise<Json> {
  const { data, errors } = await platform.ask(by, document, { ...variables });
  if (!data) throw new Error(JSON.stringify(errors));
  return Object.values(data)[0];
}

const inviting: Scope[] = ["user.invite", "user.read", "templates.read", "libraries.read"];
let count = 0;

/** By somebody who may; the invitation's id. */
async function anInvitation(by: ReturnType<typeof owner>, roleCode = "Reader"): Promise<string> {
  const input = { email: `guest-${(count += 1)}@x.example`, roleCodes: [roleCode] };
  const document = "mutation ($input: InviteUserInput!) { inviteUser(input: $input) { invitationId } }";
  return (await done(by, document, { input })).invitationId;
}

async function statusOf(invitationId: string): Promise<string> {
  const { rows } = await platform.admin.query("select status from invitations where invitation_id = $1", [
    decodeId("inv", invitationId),
  ]);
  return rows[0].status;
}

/** Reasons in the events that tell about its revocation. */
async function reasonsOf(invitationId: string): Promise<unknown[]> {
  const revocations = (await platform.eventsOf(tenantId)).filter(({ type }) => type === "InvitationRevoked");
  return revocations.filter(({ data }) => data["invitationId"] === invitationId).map(({ data }) => data["reason"]);
}

const move = (field: string, id: string, more = "") => `mutation { ${field}(userId: "${id}"${more}) { status } }`;

/** A user's only role and its assignment, as callers name them. */
async function roleOf({ userId }: TestUser): Promise<{ roleId: string; assignmentId: string; code: string }> {
  const { rows } = await platform.admin.query(
    `select role_id, assignment_id, code from role_assignments join roles using (tenant_id, role_id)
     where principal_id = $1`,
    [userId],
  );
  const { role_id, assignment_id, code } = rows[0];
  return { roleId: encodeId("rol", role_id), assignmentId: encodeId("asg", assignment_id), code };
}

async function deleteExpired(): Promise<void> {
  const workers = new pg.Pool({ connectionString: platform.connections.worker, max: 2 });
  const logger = createLogger("expiry", "silent");
  try {
    await new AssignmentExpiry({
      database,
      workers,
      logger,
      onPermissionLoss: revokeUnauthorizedInvitations,
    }).deleteExpired();
  } finally {
    await workers.end();
  }
}

/** Clients by id, as they are stored. */
async function clientsOf(...clientIds: string[]): Promise<Record<string, string>> {
  const { rows } = await platform.admin.query("select client_id, status from api_clients where client_id = any($1)", [
    clientIds,
  ]);
  return Object.fromEntries(rows.map(({ client_id: clientId, status }) => [clientId, status]));
}

async function aClient(by: ReturnType<typeof owner>, scopes: readonly Scope[] = ["templates.read"]): Promise<string> {
  const document = "mutation ($input: CreateApiClientInput!) { createApiClient(input: $input) { clientId } }";
  return (await done(by, document, { input: { name: "Pipeline", scopes } })).clientId;
}

const deletion = (userId: string, more = "") =>
  `mutation { deleteUser(userId: "${userId}"${more}) { status clients { clientId name status } } }`;
const rotation = (clientId: string) => `mutation { rotateApiClientSecret(clientId: "${clientId}") { clientId } }`;

/** Holds a lock while the operations begin one behind the other, then lets them go on. Tells what they waited for. */
async function whileHeld(lock: string, value: string, operations: (() => Promise<unknown>)[]): Promise<string[]> {
  const holder = await platform.admin.connect();
  const waits =
    "select wait_event as event from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' order by 1";
  let waiting: { event: string }[] = [];
  try {
    await holder.query("begin");
    await holder.query(lock, [value]);
    const running: Promise<unknown>[] = [];
    for (const operation of operations) {
      running.push(operation());
      await until(async () => {
        waiting = (await platform.admin.query<{ event: string }>(waits)).rows;
        return waiting.length >= running.length;
      });
    }
    await holder.query("commit");
    await Promise.all(running);
    return waiting.map(({ event }) => event);
  } finally {
    await holder.query("rollback");
    holder.release();
  }
}

beforeAll(async () => {
  const document = "mutation ($input: CreateRoleInput!) { createRole(input: $input) { roleId } }";
  for (const [code, scopes] of Object.entries({ Reader: ["templates.read"], Librarian: ["libraries.read"] }))
    await done(owner(), document, { input: { code, name: code, scopes } });
});

describe("an open invitation", () => {
  const losses: Record<string, [loss: (inviter: TestUser) => Promise<unknown>, reason: string]> = {
    "is deleted": [({ userId }) => done(owner(), move("deleteUser", userId)), "InviterDeleted"],
    "is disabled": [({ userId }) => done(owner(), move("disableUser", userId)), "InviterDisabled"],
    "loses the role": [
      async (inviter) => {
        const { roleId, assignmentId } = await roleOf(inviter);
        return done(
          owner(),
          `mutation { unassignRole(roleId: "${roleId}", assignmentId: "${assignmentId}") { assignmentId } }`,
        );
      },
      "InviterLostScopes",
    ],
    "holds a role that is narrowed": [
      async (inviter) =>
        done(
          owner(),
          `mutation { updateRole(roleId: "${(await roleOf(inviter)).roleId}", input: { scopes: ["user.invite"] }) { roleId } }`,
        ),
      "InviterLostScopes",
    ],
    "holds a role that is deleted": [
      async (inviter) =>
        done(owner(), `mutation { deleteRole(roleId: "${(await roleOf(inviter)).roleId}") { roleId } }`),
      "InviterLostScopes",
    ],
    "holds a role that has expired": [
      async ({ userId }) => {
        await platform.admin.query(
          "update role_assignments set expires_at = now() - interval '1 second' where principal_id = $1",
          [userId],
        );
        await deleteExpired();
      },
      "InviterLostScopes",
    ],
    "holds a role that a release narrows": [
      async (inviter) => {
        const { roleId } = await roleOf(inviter);
        const [id, tenant] = [decodeId("rol", roleId), decodeId("ten", tenantId)];
        await platform.admin.query("delete from roles where tenant_id = $1 and code = 'Viewer'", [tenant]);
        await platform.admin.query("update roles set is_system = true, code = 'Viewer' where role_id = $1", [id]);
        await platform.admin.query("update tenants set system_roles_digest = 'older' where tenant_id = $1", [tenant]);
        await new SystemRolesRefresher(database, revokeUnauthorizedInvitations).run({
          signal: new AbortController().signal,
        });
      },
      "InviterLostScopes",
    ],
  };

  it.each(Object.keys(losses))("is revoked when its sender %s, and one of others stays", async (lossName) => {
    const [loss, reason] = losses[lossName] ?? [];
    const [inviter, other] = [await aUser(platform, tenantId, inviting), await aUser(platform, tenantId, inviting)];
    const [revokedInvitation, otherInvitation] = [await anInvitation(as(inviter)), await anInvitation(as(other))];
    await loss?.(inviter);
    await until(async () => (await statusOf(revokedInvitation)) === "Revoked");
    expect([await reasonsOf(revokedInvitation), await statusOf(otherInvitation)]).toEqual([[reason], "Pending"]);
  });

  it("stays open while its sender may still send it", async () => {
    const inviter = await aUser(platform, tenantId, inviting);
    const [reader, librarian] = [await anInvitation(as(inviter)), await anInvitation(as(inviter), "Librarian")];
    await done(
      owner(),
      `mutation { updateRole(roleId: "${(await roleOf(inviter)).roleId}",
        input: { scopes: ["user.invite", "libraries.read"] }) { roleId } }`,
    );
    expect([await statusOf(reader), await statusOf(librarian)]).toEqual(["Revoked", "Pending"]);
  });

  it("belongs to the user who sent it last", async () => {
    const [first, second] = [await aUser(platform, tenantId, inviting), await aUser(platform, tenantId, inviting)];
    const invitationId = await anInvitation(as(first));
    await done(as(second), `mutation { resendInvitation(invitationId: "${invitationId}") { status } }`);
    await done(owner(), move("deleteUser", first.userId));
    expect(await statusOf(invitationId)).toBe("Pending");
    await done(owner(), move("disableUser", second.userId));
    expect(await statusOf(invitationId)).toBe("Revoked");
  });

  it("is revoked when the client that sent it is disabled", async () => {
    const clientId = await aClient(owner(), inviting);
    const invitationId = await anInvitation({ ...owner(), subject: clientId, clientId });
    await done(owner(), `mutation { disableApiClient(clientId: "${clientId}") { status } }`);
    expect([await statusOf(invitationId), await reasonsOf(invitationId)]).toEqual(["Revoked", ["InviterDisabled"]]);
  });

  it.each([
    ["before", 0],
    ["after", 1],
  ])("is not left by a sender who is disabled in the moment %s", async (_, place) => {
    const inviter = await aUser(platform, tenantId, inviting);
    const input = `{ email: "raced-${place}@x.example", roleCodes: ["Reader"] }`;
    const operations = [
      () => platform.ask(owner(), move("disableUser", inviter.userId)),
      () => platform.ask(as(inviter), `mutation { inviteUser(input: ${input}) { invitationId } }`),
    ];
    await whileHeld(
      "select pg_advisory_xact_lock(hashtextextended($1, 0))",
      `invitations of ${tenantId}`,
      place === 0 ? operations : operations.toReversed(),
    );
    const { rows } = await platform.admin.query(
      "select from invitations where invited_by = $1 and status = 'Pending'",
      [inviter.userId],
    );
    expect(rows).toEqual([]);
  });
});

describe("clients of a deleted user", () => {
  it("are listed and disabled if only that user, or only clients in the list, know the secret", async () => {
    const user = await aUser(platform, tenantId, tenantScopes);
    const [ownClient, rotatedClient] = [await aClient(as(user)), await aClient(as(user))];
    const byOwn = await aClient({ ...owner(), subject: ownClient, clientId: ownClient }, inviting);
    const byTold = await aClient({ ...owner(), subject: rotatedClient, clientId: rotatedClient });
    await done(owner(), rotation(rotatedClient));
    const invitationId = await anInvitation({ ...owner(), subject: byOwn, clientId: byOwn });
    const { status, clients } = await done(owner(), deletion(user.userId));
    const orphans = [ownClient, byOwn].sort();
    expect([status, clients]).toEqual([
      "Deleted",
      orphans.map((clientId) => ({ clientId, name: "Pipeline", status: "Disabled" })),
    ]);
    expect(await clientsOf(ownClient, rotatedClient, byOwn, byTold)).toEqual({
      ...{ [ownClient]: "Disabled", [byOwn]: "Disabled" },
      ...{ [rotatedClient]: "Active", [byTold]: "Active" },
    });
    expect(await statusOf(invitationId)).toBe("Revoked");
    const events = await platform.eventsOf(tenantId);
    const about = (subject: string) => events.filter((event) => event.subject === subject).at(-1);
    expect(about(`users/${user.userId}`)).toMatchObject({
      type: "UserDeleted",
      data: { clients: "Disable", clientIds: orphans },
    });
    expect(about(`clients/${byOwn}`)).toMatchObject({ type: "ApiClientDisabled" });
    const { rows } = await platform.admin.query("select kind from revocations where subject = $1", [byOwn]);
    expect(rows).toEqual([{ kind: "Client" }]);
  });

  it("are kept on request, which is recorded", async () => {
    const user = await aUser(platform, tenantId, tenantScopes);
    const clientId = await aClient(as(user));
    const { clients } = await done(owner(), deletion(user.userId, ", clients: Keep"));
    expect([clients, await clientsOf(clientId)]).toEqual([
      [{ clientId, name: "Pipeline", status: "Active" }],
      { [clientId]: "Active" },
    ]);
    const userEvents = (await platform.eventsOf(tenantId)).filter(({ subject }) => subject === `users/${user.userId}`);
    expect(userEvents.at(-1)?.data).toMatchObject({ clients: "Keep", clientIds: [clientId] });
  });

  it("do not prevent the deletion by deadlocks while their secrets are renewed", async () => {
    const user = await aUser(platform, tenantId, tenantScopes);
    const clientId = await aClient(as(user));
    const waits = await whileHeld("select from api_clients where client_id = $1 for update", clientId, [
      () => done(as(user), rotation(clientId)),
      () => done(owner(), deletion(user.userId)),
    ]);
    // the deletion holds no row yet that the renewal needs
    expect(waits).toContain("advisory");
    expect(await clientsOf(clientId)).toEqual({ [clientId]: "Disabled" });
  });

  it("are not disabled by a caller who lacks one of their scopes", async () => {
    const user = await aUser(platform, tenantId, []);
    const clientId = await aClient(as(user), ["templates.write"]);
    const lesser = principal(tenantId, ["user.invite"]);
    const { refusal } = await platform.ask(lesser, deletion(user.userId));
    expect(refusal).toMatchObject({ code: "INSUFFICIENT_SCOPE", requiredScopes: ["templates.write"] });
    expect((await done(lesser, deletion(user.userId, ", clients: Keep"))).status).toBe("Deleted");
    expect(await clientsOf(clientId)).toEqual({ [clientId]: "Active" });
  });

  it.each([
    ["before", 0],
    ["after", 1],
  ])("include one that the user makes in the moment %s", async (_, place) => {
    const user = await aUser(platform, tenantId, tenantScopes);
    const input = '{ name: "Raced", scopes: ["templates.read"] }';
    const operations = [
      () => platform.ask(owner(), deletion(user.userId)),
      () => platform.ask(as(user), `mutation { createApiClient(input: ${input}) { clientId } }`),
    ];
    await whileHeld(
      "select from users where user_id = $1 for update",
      decodeId("usr", user.userId) ?? "",
      place === 0 ? operations : operations.toReversed(),
    );
    const { rows } = await platform.admin.query(
      "select from api_clients where secret_held_by = $1 and status = 'Active'",
      [user.userId],
    );
    expect(rows).toEqual([]);
  });
});
