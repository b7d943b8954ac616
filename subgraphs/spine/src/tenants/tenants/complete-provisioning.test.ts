import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { RunningSpine, testSettings, until } from "../../running-spine.fixture.js";
import { startSpine } from "../../subgraph.js";

let platform: RunningSpine;
beforeAll(async () => {
  platform = await RunningSpine.start();
});
afterAll(() => platform?.stop());

const steps = async (tenantId: string) => {
  const { rows } = await platform.admin.query<{ provisioned_steps: string[] }>(
    "select provisioned_steps from tenants where tenant_id = $1",
    [decodeId("ten", tenantId)],
  );
  return rows[0]?.provisioned_steps;
};

const invitations = async (tenantId: string) =>
  (await platform.eventsOf(tenantId)).filter(({ type }) => type === "UserInvited").length;

describe("a start", () => {
  it("runs new provisioning steps for existing tenants, once", async () => {
    const [earlier, ownedTenant] = [await platform.activeTenant("earlier"), await platform.activeTenant("owned")];
    const all = await steps(earlier);
    for (const tenantId of [earlier, ownedTenant]) {
      const id = decodeId("ten", tenantId);
      await platform.admin.query("delete from invitations where tenant_id = $1", [id]);
      await platform.admin.query(
        "update tenants set provisioned_steps = '{}', owner_invitation_id = null where tenant_id = $1",
        [id],
      );
    }
    await platform.admin.query(
      `insert into role_assignments (tenant_id, assignment_id, role_id, principal_id, assigned_by, assigned_at)
       select tenant_id, gen_random_uuid(), role_id, 'usr_01m7yggj8ve1br8wyj6k2wjn4d', 'test', now() from roles
       where tenant_id = $1 and code = 'TenantOwner'`,
      [decodeId("ten", ownedTenant)],
    );
    const second = await startSpine(platform.host, testSettings);
    try {
      for (const tenantId of [earlier, ownedTenant])
        await until(async () => (await steps(tenantId))?.length === all?.length);
    } finally {
      await second.close();
    }
    // one from provisioning, one from the start; nobody is invited where somebody owns already
    expect([await invitations(earlier), await invitations(ownedTenant)]).toEqual([2, 1]);
    const third = await startSpine(platform.host, testSettings);
    await third.close();
    expect(await invitations(earlier)).toBe(2);
  });
});
