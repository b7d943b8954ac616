import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { platformScopes, tenantScopes } from "@factory/schema/scopes";
import { revokeUnauthorizedInvitations } from "../../people/invitations/revoke-unauthorized-invitations.js";
import { RunningSpine, testSettings, until } from "../../running-spine.fixture.js";
import { startSpine } from "../../subgraph.js";
import { SystemRolesRefresher } from "./refresh-system-roles.js";
import { systemRolesDigest } from "./seed-system-roles.js";
import { systemRoles } from "./system-roles.js";

let platform: RunningSpine;
let database: Database;
beforeAll(async () => {
  platform = await RunningSpine.start();
  database = await platform.openDatabase();
});
afterAll(async () => {
  await database?.close();
  await platform?.stop();
});

interface Row {
  role_id: string;
  code: string;
  scopes: string[];
  is_system: boolean;
  updated_at: Date;
}

async function rolesOf(tenantId: string): Promise<Row[]> {
  const { rows } = await platform.admin.query<Row>(
    "select role_id, code, scopes, is_system, updated_at from roles where tenant_id = $1 order by role_id",
    [decodeId("ten", tenantId)],
  );
  return rows;
}

/** As an earlier release left it. */
async function spoil(tenantId: string, change: string): Promise<void> {
  const id = decodeId("ten", tenantId);
  await platform.admin.query(change, [id]);
  await platform.admin.query("update tenants set system_roles_digest = 'older' where tenant_id = $1", [id]);
}

/** Code for each role that an event told about, by event type. */
async function toldOf(tenantId: string, type: string): Promise<unknown[]> {
  const events = (await platform.eventsOf(tenantId)).filter((event) => event.type === type);
  return events.map(({ data }) => data["code"]);
}

const refresh = () =>
  new SystemRolesRefresher(database, revokeUnauthorizedInvitations).run({ signal: new AbortController().signal });
const digests = async () =>
  (await platform.admin.query<{ digest: string }>("select distinct system_roles_digest as digest from tenants")).rows;

describe("system roles", () => {
  it("match the list in a provisioned tenant", async () => {
    const roles = await rolesOf(await platform.activeTenant("seeded"));
    expect(roles.map(({ code, scopes, is_system }) => ({ code, scopes, is_system }))).toEqual(
      systemRoles.map(({ code, scopes }) => ({ code, scopes, is_system: true })),
    );
    expect(roles.find(({ code }) => code === "TenantOwner")?.scopes).toEqual(tenantScopes);
  });

  it("record events when they are created, and later only when a release changes them", async () => {
    const tenantId = await platform.activeTenant("told");
    expect(await toldOf(tenantId, "RoleCreated")).toEqual(systemRoles.map(({ code }) => code));
    await spoil(tenantId, "update roles set scopes = '{}' where tenant_id = $1 and code = 'Developer'");
    await refresh();
    expect(await toldOf(tenantId, "RoleUpdated")).toEqual(["Developer"]);
    await spoil(
      tenantId,
      "update roles set is_system = false, code = 'viewer' where tenant_id = $1 and code = 'Viewer'",
    );
    await refresh();
    expect((await toldOf(tenantId, "RoleUpdated")).slice(1)).toEqual([expect.stringMatching(/^viewer_/)]);
    expect(await toldOf(tenantId, "RoleCreated")).toHaveLength(systemRoles.length + 1);
  });

  it("are one role in the platform's own tenant", async () => {
    const roles = await rolesOf(platformTenantId);
    expect(roles).toEqual([expect.objectContaining({ code: "PlatformAdmin", scopes: [...platformScopes] })]);
  });

  it("are updated when another release created them, and keep their ids", async () => {
    const tenantId = await platform.activeTenant("outdated");
    const before = await rolesOf(tenantId);
    await spoil(tenantId, "update roles set scopes = '{}' where tenant_id = $1 and code = 'Developer'");
    await refresh();
    const after = await rolesOf(tenantId);
    expect(after.map(({ role_id, scopes }) => [role_id, scopes])).toEqual(
      before.map(({ role_id, scopes }) => [role_id, scopes]),
    );
    expect(after.filter((role, at) => role.updated_at.getTime() !== before[at]?.updated_at.getTime())).toHaveLength(1);
    expect(await digests()).toEqual([{ digest: systemRolesDigest }]);
  });

  it("rename a role of the tenant with the same code, so that its holders get no new scopes", async () => {
    const tenantId = await platform.activeTenant("aside");
    await spoil(
      tenantId,
      "update roles set is_system = false, code = 'viewer', scopes = '{user.read}' where tenant_id = $1 and code = 'Viewer'",
    );
    const viewer = (await rolesOf(tenantId)).find(({ code }) => code === "viewer");
    await refresh();
    const roles = await rolesOf(tenantId);
    expect(roles.find(({ role_id }) => role_id === viewer?.role_id)).toMatchObject({
      code: expect.stringMatching(/^viewer_/),
      scopes: ["user.read"],
      is_system: false,
    });
    expect(roles.filter(({ is_system }) => is_system)).toHaveLength(systemRoles.length);
  });

  it("become roles of the tenant when they leave the list", async () => {
    const tenantId = await platform.activeTenant("retired");
    await spoil(tenantId, "update roles set code = 'Auditor' where tenant_id = $1 and code = 'Viewer'");
    await refresh();
    const roles = await rolesOf(tenantId);
    expect(roles.find(({ code }) => code === "Auditor")).toMatchObject({ is_system: false });
    expect(roles.find(({ code }) => code === "Viewer")).toMatchObject({ is_system: true });
  });

  it("are updated after a start, without a request", async () => {
    const tenantId = await platform.activeTenant("restarted");
    await spoil(tenantId, "delete from roles where tenant_id = $1");
    const second = await startSpine(platform.host, testSettings);
    try {
      await until(async () => (await rolesOf(tenantId)).length === systemRoles.length);
    } finally {
      await second.close();
    }
  });
});
